import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { listOfText, oneOf, success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { findConnector } from './connector-store.ts';
import { findShopEvent, listEventIdsIn, makeEventsDue } from './event-store.ts';
import { connectorIdField } from './fields.ts';
import { SHOP_EVENT_STATES } from './inbox-state.ts';

const MISSING = 'Missing eventIds, or connectorId and state';
const MAX_NAMED = 100;
const MAX_QUEUED = 20_000;

/** POST /replayShopEvents (rules 15.2). */
export const replayShopEvents = endpoint({
  path: '/replayShopEvents',
  access: 'admin',
  needs: 'support',
  summary: 'Apply events of shops once more',
  description:
    'Lets events be applied under the present mappings: named ones, or those of a connector in one state, at most 20,000. ' +
    'What was carried out before is not carried out twice. Events of a connector that is not `on` are left as they are.',
  example: {
    after: ['/updateConnector'],
    request: { eventIds: [MADE_BY_SERVICE.shopEventId] },
    reply: { success: true, queued: 1 },
  },
  fields: Type.Object({
    eventIds: Type.Optional(listOfText('Identifiers of events.', MAX_NAMED)),
    connectorId: Type.Optional(connectorIdField),
    state: Type.Optional(oneOf('The state of the events of the connector.', SHOP_EVENT_STATES, 'ShopEventState')),
  }),
  missing: MISSING,
  reply: success({ queued: Type.Integer({ description: 'Events that are applied within seconds.' }) }),
  refusals: ['connector_not_found', 'shop_event_not_found'],
}).write(async (tx, { fields: { eventIds, connectorId, state }, scope, origin }) => {
  if (eventIds === undefined) {
    if (connectorId === undefined || state === undefined)
      return refuse('missing_fields', { details: { message: MISSING } });
    const connector = await findConnector(tx, connectorId, scope);
    if (connector === undefined) return refuse('connector_not_found');
    const found = connector.state === 'on' ? await listEventIdsIn(tx, connectorId, { state }, MAX_QUEUED) : [];
    return { success: true, queued: await makeEventsDue(tx, found, origin.now) };
  }
  const due: string[] = [];
  for (const eventId of new Set(eventIds)) {
    const event = await findShopEvent(tx, eventId, scope);
    if (event === undefined) return refuse('shop_event_not_found');
    const connector = await findConnector(tx, event.connectorId, scope);
    if (connector?.state === 'on') due.push(eventId);
  }
  return { success: true, queued: await makeEventsDue(tx, due, origin.now) };
});
