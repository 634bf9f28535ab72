import Type from 'typebox';
import { findLicense } from '../../licensing/licenses/store.ts';
import { endpoint, type Request } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { oneOf, success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { EVERYBODY } from '../storefront/sale.ts';
import { ApplicationResult } from './application.ts';
import { applyShopEvent } from './apply.ts';
import { reinstate, reverse } from './apply-money.ts';
import { setOwedEnds } from './apply-subscription.ts';
import { REMEDIES, type Remedy } from './attention.ts';
import { lockConnector } from './connector-store.ts';
import { findShopEvent, lockShopEvent, makeEventsDue, saveShopEvent } from './event-store.ts';
import { remediesOfEvent, SHOP_EVENT_EXAMPLE, shopEventSchema, shopEventView } from './fields.ts';
import { eventIdField } from './get-shop-event.ts';
import type { WholeShopEvent } from './shop-event.ts';
import { findSubject, listUnits, stopWaiting } from './subject-store.ts';

/** POST /decideShopEvent (rules 15.7). */
export const decideShopEvent = endpoint({
  path: '/decideShopEvent',
  access: 'admin',
  needs: 'support',
  summary: 'Decide about an event of a shop',
  description:
    'Does what a person decides about an event: one of its `remedies` of /getShopEvent. `replay` applies it once more. ' +
    '`issue` gives a license in spite of its price, `issue_one` one license whatever the quantity, `issue_own_key` a ' +
    'license with a key of this service. `revoke` and `reinstate` act on the licenses of the sale, `set_end` gives them the end that ' +
    'the seller tells, and `dismiss` leaves everything as it is.',
  example: {
    after: ['/previewShopEvent', '/getShopEvent'],
    request: { eventId: MADE_BY_SERVICE.shopEventId, remedy: 'dismiss' },
    reply: { success: true, event: { ...SHOP_EVENT_EXAMPLE, state: 'dismissed', remedies: [] } },
  },
  fields: Type.Object({
    eventId: eventIdField,
    remedy: oneOf('One of the remedies of the event.', REMEDIES, 'ShopRemedy'),
  }),
  reply: success({ event: shopEventSchema }),
  refusals: ['shop_event_not_found', 'connector_not_found', 'remedy_not_offered'],
}).write(async (tx, request) => {
  const { fields, scope } = request;
  const seen = await findShopEvent(tx, fields.eventId, scope);
  if (seen === undefined) return refuse('shop_event_not_found');
  if ((await lockConnector(tx, seen.connectorId, scope)) === undefined) return refuse('connector_not_found');
  const event = await lockShopEvent(tx, fields.eventId, scope);
  if (event === undefined) return refuse('shop_event_not_found');
  if (!remediesOfEvent(event).includes(fields.remedy)) return refuse('remedy_not_offered');
  await carryOut(tx, event, fields.remedy, request);
  const decided = await findShopEvent(tx, event.eventId, scope);
  return { success: true, event: shopEventView(decided!) };
});

async function carryOut(
  tx: Tx,
  event: WholeShopEvent,
  remedy: Remedy,
  { origin, ruleContext }: Request<unknown>,
): Promise<void> {
  const { now, requestId } = origin;
  const settled = {
    ...event,
    state: 'applied',
    reason: null,
    detail: null,
    dueAt: null,
    lookUpAt: null,
    dueSince: null,
  } as const;
  switch (remedy) {
    case 'dismiss':
      await stopWaiting(tx, event.eventId);
      return saveShopEvent(tx, { ...settled, state: 'dismissed' }, now);
    case 'replay':
      return void (await makeEventsDue(tx, [event.eventId], now));
    case 'issue':
    case 'issue_one':
    case 'issue_own_key':
      return void (await applyShopEvent(tx, event.eventId, { now, requestId, ruleContext }, { decision: remedy }));
    case 'revoke':
    case 'reinstate':
    case 'set_end': {
      const subject = event.subjectId === null ? undefined : await findSubject(tx, event.connectorId, event.subjectId);
      if (subject === undefined) return saveShopEvent(tx, settled, now);
      const result = new ApplicationResult();
      const parts = { tx, origin, result };
      if (remedy === 'set_end')
        await setOwedEnds(parts, subject, (await lockConnector(tx, event.connectorId, EVERYBODY))!);
      else
        for (const { licenseKey } of await listUnits(tx, subject)) {
          const license = await findLicense(tx, licenseKey, EVERYBODY);
          if (license === undefined) continue;
          if (remedy === 'reinstate') await reinstate(parts, subject, license);
          else if (license.revocation === null) await reverse(parts, subject, license, 'refund');
        }
      return saveShopEvent(tx, { ...settled, outcome: [...event.outcome, ...result.licenses] }, now);
    }
  }
}
