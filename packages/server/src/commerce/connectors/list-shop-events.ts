import Type from 'typebox';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, oneOf, text, timestamp } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  type PageCursor,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findConnector, listConnectorsAfter, listConnectorsOf } from './connector-store.ts';
import { type EventFilter, listEventsAbout, listShopEventRows } from './event-store.ts';
import { connectorIdField, SHOP_EVENT_EXAMPLE, shopEventSchema, shopEventView } from './fields.ts';
import { SHOP_EVENT_STATES } from './inbox-state.ts';
import type { ShopEvent } from './shop-event.ts';
import { DELIVERY_EXAMPLE } from './sources/example.ts';
import { listSubjectsOfLicense, listSubjectsOfReference } from './subject-store.ts';

/** Connectors that are asked about an id of a seller's. */
const MAX_CONNECTORS_ASKED = 1000;

/** GET/POST /listShopEvents (rules 15.2). */
export const listShopEvents = endpoint({
  path: '/listShopEvents',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the events of shops, newest first',
  description:
    'Lists what sellers delivered and what came of it, without the bodies. `licenseKey` and `reference`, an id of the ' +
    "seller's such as that of an order, list the events of a sale. `nextCursor` is present when there are more; give it " +
    'as `cursor`.',
  example: {
    after: ['/createConnector'],
    beforehand: [{ to: `/connect/${MADE_BY_SERVICE.connectorId}`, request: DELIVERY_EXAMPLE }],
    request: { connectorId: MADE_BY_SERVICE.connectorId },
    reply: { success: true, events: [SHOP_EVENT_EXAMPLE], count: 1 },
  },
  fields: Type.Object({
    connectorId: Type.Optional(connectorIdField),
    state: Type.Optional(oneOf('Only events in this state.', SHOP_EVENT_STATES, 'ShopEventState')),
    type: Type.Optional(text("Only events of this type of the seller's; with connectorId only.")),
    licenseKey: Type.Optional(licenseKeyField),
    reference: Type.Optional(text("Only events about this id of the seller's.")),
    since: Type.Optional(timestamp('Only events that arrived at this time or later.')),
    ...pageFields('Events'),
  }),
  reply: pageReply('events', shopEventSchema),
  refusals: ['connector_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { connectorId, state, type, licenseKey, reference, since = '', limit = DEFAULT_LIMIT } = fields;
  const after = readCursor(fields.cursor);
  if (isRefusal(after)) return after;
  if (type !== undefined && connectorId === undefined)
    return refuse('invalid_field', { details: { message: 'type can be given together with connectorId only' } });
  const owner = scope.creatorId ?? undefined;
  if (connectorId !== undefined && (await findConnector(sql, connectorId, scope)) === undefined)
    return refuse('connector_not_found');
  const isWanted = (event: ShopEvent) =>
    (owner === undefined || event.creatorId === owner) && event.receivedAt >= since;
  const found =
    licenseKey !== undefined || reference !== undefined
      ? await ofSale(sql, { connectorId, licenseKey, reference, state, type }, scope, { after, limit: limit + 1 })
      : await listShopEventRows(sql, { owner, connectorId, state, type }, after, limit + 1);
  const { entries, next } = cutPage(found.filter(isWanted), limit, ({ receivedAt, eventId }) =>
    cursorAfter({ createdAt: receivedAt, id: eventId }),
  );
  return { success: true, events: entries.map(shopEventView), count: entries.length, ...next };
});

/** The events of the sales that a license or an id of the seller's belongs to, newest first, each once. */
async function ofSale(
  sql: Sql,
  { connectorId, licenseKey, reference, state, type }: SaleAsked,
  scope: Scope,
  page: { readonly after: PageCursor; readonly limit: number },
): Promise<readonly ShopEvent[]> {
  const found = new Map<string, ShopEvent>();
  const add = async (about: Parameters<typeof listEventsAbout>[1]) => {
    for (const event of await listEventsAbout(sql, about, { state, type }, page)) found.set(event.eventId, event);
  };
  if (licenseKey !== undefined) {
    const license = await findLicense(sql, storedLicenseKey(licenseKey), scope);
    const sales = license === undefined ? [] : await listSubjectsOfLicense(sql, license.licenseKey);
    for (const { connectorId: of, subjectId } of sales)
      if (connectorId === undefined || of === connectorId) await add({ connectorId: of, subjectId });
  } else
    for (const id of await connectorIdsOf(sql, connectorId, scope)) {
      for (const { subjectId } of await listSubjectsOfReference(sql, id, reference!))
        await add({ connectorId: id, subjectId });
      await add({ connectorId: id, subject: reference! });
    }
  const key = ({ receivedAt, eventId }: ShopEvent) => `${receivedAt} ${eventId}`;
  return [...found.values()].sort((one, other) => (key(one) < key(other) ? 1 : -1));
}

interface SaleAsked extends Pick<EventFilter, 'connectorId' | 'state' | 'type'> {
  readonly licenseKey: string | undefined;
  readonly reference: string | undefined;
}

/** The named connector, or all within the scope. */
async function connectorIdsOf(sql: Sql, connectorId: string | undefined, scope: Scope): Promise<readonly string[]> {
  if (connectorId !== undefined) return [connectorId];
  const found =
    scope.creatorId === null
      ? await listConnectorsAfter(sql, '', MAX_CONNECTORS_ASKED)
      : await listConnectorsOf(sql, scope.creatorId);
  return found.map((connector) => connector.connectorId);
}
