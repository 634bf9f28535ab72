import Type from 'typebox';
import { findLicense } from '../../licensing/licenses/store.ts';
import { waitingField } from '../../licensing/licenses/waiting.ts';
import { endpoint, NothingKept } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import {
  FieldFault,
  nullable,
  oneOf,
  readField,
  success,
  text,
  timestamp,
} from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { isRecord, isText } from '../../storage/contract/stored-json.ts';
import { type Applied, applyLocked } from './apply.ts';
import { lockConnector } from './connector-store.ts';
import { findShopEvent, keptUntilOf } from './event-store.ts';
import { wordsOf } from './fact-words.ts';
import { connectorIdField } from './fields.ts';
import { eventIdField } from './get-shop-event.ts';
import { SHOP_EVENT_STATES } from './inbox-state.ts';
import { DEEDS, type WholeShopEvent } from './shop-event.ts';
import { type Fact, MATCHES, type Match } from './sources/facts.ts';
import { type DeliveredEvent, MAX_BODY_BYTES } from './sources/source.ts';
import { sourceNamed } from './sources/source-list.ts';

const MISSING = 'Missing eventId, or connectorId and body';
/** Requests have 64 KiB, of which a header takes little. */
const LONGEST_BODY = MAX_BODY_BYTES / 16;

const headersField = readField<Readonly<Record<string, string>>>(
  { type: 'object', additionalProperties: { type: 'string' }, description: 'Headers of the delivery, by name.' },
  'must be an object of texts',
  (given) =>
    isRecord(given) && Object.keys(given).length <= 100 && Object.values(given).every(isText)
      ? (given as Readonly<Record<string, string>>)
      : new FieldFault('must be an object of texts'),
);

/** POST /previewShopEvent (rules 15.2). */
export const previewShopEvent = endpoint({
  path: '/previewShopEvent',
  access: 'admin',
  needs: 'support',
  summary: 'Show what an event of a shop would do',
  description:
    'Applies an event, or a delivery that is pasted with its headers, under the present mappings and takes everything ' +
    'back. The signature of a pasted delivery is not checked, and nothing is asked of the seller.',
  example: {
    after: ['/listShopEvents'],
    request: { eventId: MADE_BY_SERVICE.shopEventId },
    reply: {
      success: true,
      state: 'applied',
      reason: null,
      steps: ['Customer cus_NffrFeUfNV2Hib has another record.'],
      names: [],
      changes: [],
      mail: null,
    },
  },
  fields: Type.Object({
    eventId: Type.Optional(eventIdField),
    connectorId: Type.Optional(connectorIdField),
    headers: Type.Optional(headersField),
    body: Type.Optional(text('Body of a delivery.', LONGEST_BODY)),
  }),
  missing: MISSING,
  reply: success({
    state: oneOf('The state that the event would have.', SHOP_EVENT_STATES, 'ShopEventState'),
    reason: nullable(Type.String({ description: 'Why it would need attention or be ignored.' })),
    steps: Type.Array(Type.String(), { description: 'What it tells, a sentence each.' }),
    names: Type.Array(
      Type.Object({
        match: oneOf('What the name is; see the mappings of /createConnector.', MATCHES, 'ShopMatch'),
        id: Type.String({ description: 'The name.' }),
      }),
      { description: 'The names that the seller gives to what was sold, for a mapping.' },
    ),
    changes: Type.Array(
      Type.Object({
        licenseKey: nullable(
          Type.String({ description: 'The license; null for a new one, whose key is not made yet.' }),
        ),
        did: oneOf('What it would do to the license.', DEEDS, 'ShopDeed'),
        productId: Type.String({ description: 'The product of the license.' }),
        variant: Type.String({ description: 'The variant of the license.' }),
        maxMachines: Type.Integer({ description: 'The limit of the license; -1 is unlimited.' }),
        expiresAt: nullable(timestamp('The end of the license; null is perpetual.')),
        waiting: Type.Optional(waitingField),
        isRevoked: Type.Boolean({ description: 'Whether the license is revoked then.' }),
      }),
      { description: 'The licenses as they would be.' },
    ),
    mail: nullable(
      Type.Object(
        {
          to: Type.String({ description: 'Address of the recipient.' }),
          kind: Type.String({ description: '`keys`, `keys_added` or `payment_failed`.' }),
          language: Type.String({ description: 'Its language.' }),
        },
        { description: 'The e-mail with the keys; null without one.' },
      ),
    ),
  }),
  refusals: ['connector_not_found', 'shop_event_not_found'],
}).write(async (tx, { fields, scope, origin, ruleContext }) => {
  const { eventId, connectorId, headers = {}, body } = fields;
  if (eventId === undefined && (connectorId === undefined || body === undefined))
    return refuse('missing_fields', { details: { message: MISSING } });
  const stored = eventId === undefined ? undefined : await findShopEvent(tx, eventId, scope);
  if (eventId !== undefined && stored === undefined) return refuse('shop_event_not_found');
  const connector = await lockConnector(tx, stored?.connectorId ?? connectorId!, scope);
  if (connector === undefined) return refuse('connector_not_found');
  const pasted = (): readonly DeliveredEvent[] =>
    sourceNamed(connector.source).events({ body: Buffer.from(body!), headers: distinct(headers) });
  const events = stored === undefined ? pasted().map((each) => pastedEvent(each, connector, origin.now)) : [stored];
  const applied: Applied[] = [];
  for (const event of events)
    applied.push(
      await applyLocked(
        tx,
        connector,
        event,
        { now: origin.now, requestId: origin.requestId, ruleContext },
        { decision: null, isPreview: true },
      ),
    );
  throw new NothingKept(await replyOf(tx, applied));
});

/** Headers by their names in lower case, each with one value. */
function distinct(headers: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
}

function pastedEvent(
  { sellerEventId, type, at, isTest, subject, body }: DeliveredEvent,
  { connectorId, creatorId }: { readonly connectorId: string; readonly creatorId: string | null },
  now: number,
): WholeShopEvent {
  const receivedAt = new Date(now).toISOString();
  return {
    ...{ eventId: sellerEventId, connectorId, creatorId, sellerEventId, type, isTest, subject, body, receivedAt },
    sourceAt: at === null ? null : new Date(at).toISOString(),
    ...{
      subjectId: null,
      state: 'received',
      reason: null,
      detail: null,
      attempts: 0,
      dueAt: null,
      lookUpAt: null,
      dueSince: null,
    },
    ...{ outcome: [], lookedUp: {}, keptUntil: keptUntilOf('received', now) },
  };
}

async function replyOf(tx: Tx, applied: readonly Applied[]) {
  const last = applied.at(-1);
  const changes = [];
  for (const { licenseKey, did } of applied.flatMap(({ result }) => result.licenses)) {
    const license = (await findLicense(tx, licenseKey, { creatorId: null }))!;
    const { productId, variant, maxMachines, expiresAt, terms, revocation } = license;
    const shown = did === 'issued' ? null : licenseKey;
    changes.push({
      licenseKey: shown,
      did,
      productId,
      variant,
      maxMachines,
      expiresAt,
      ...(terms.waiting === null ? {} : { waiting: terms.waiting }),
      isRevoked: revocation !== null,
    });
  }
  const [mail] = applied.flatMap(({ result }) => result.mails);
  return {
    success: true as const,
    state: last?.event.state ?? ('ignored' as const),
    reason: last?.event.reason ?? null,
    steps: applied.flatMap(({ facts }) => facts.map(wordsOf)),
    names: namesOf(applied.flatMap(({ facts }) => facts)),
    changes,
    mail: mail === undefined ? null : { to: mail.to, kind: mail.kind, language: mail.language },
  };
}

/** The names of the sold products, each once, without names that no mapping can have. */
function namesOf(facts: readonly Fact[]) {
  const names = new Map<string, { readonly match: Match; readonly id: string }>();
  for (const fact of facts)
    if (fact.fact === 'sold')
      for (const { by, id } of fact.lines.flatMap((line) => line.names))
        if (by !== 'latchkey_variant') names.set(`${by} ${id}`, { match: by, id });
  return [...names.values()];
}
