import Type from 'typebox';
import { fromTimestamp } from '../../ground/base/clock.ts';
import { eventSchema, eventView } from '../../licensing/licenses/event-view.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, listOf, productIdField, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { DEFAULT_LIMIT, pageFields, pageReply, refuseCursor } from '../../platform/endpoint/page.ts';
import { isRefusal, type Refusal } from '../../platform/endpoint/refusals.ts';
import { isViewer } from '../../platform/endpoint/roles.ts';
import { isEventId } from '../../platform/events/event.ts';
import { eventTypes } from '../../platform/events/event-types.ts';
import { type EventFilter, pageOfEvents } from '../../platform/events/listing-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** Each type is a separate index range in each product. */
const MAX_TYPES = 10;

export const listEvents = endpoint({
  path: '/listEvents',
  access: 'admin',
  needs: 'viewer',
  summary: 'List recorded changes, newest first',
  description:
    'Lists changes with their author, time and request; all given filters must match. `nextCursor` is present when ' +
    'there may be more; give it as `cursor` for the next page. A page may then hold fewer events than `limit`, even ' +
    'none, because it examines a bounded number of events. An API key sees the events of the products that its ' +
    "creator owns today, and its creator's events without a product: of API keys, studio orders and discount codes. " +
    'One whose creator owns more than 30 products must name a product or a license.',
  example: {
    after: ['/activate'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, types: ['activation.created'] },
    reply: {
      success: true,
      events: [
        {
          id: MADE_BY_SERVICE.eventId,
          at: EXAMPLE_NOW,
          type: 'activation.created',
          actor: { kind: 'client', id: null, keyName: null },
          licenseKey: MADE_BY_SERVICE.licenseKey,
          licenseNumber: 2,
          productId: EXAMPLE.productId,
          creatorId: EXAMPLE.creatorId,
          subject: EXAMPLE.machineFingerprint,
          requestId: MADE_BY_SERVICE.requestId,
          before: null,
          after: { fingerprint: EXAMPLE.machineFingerprint, hostname: EXAMPLE.hostname, country: null },
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    licenseKey: Type.Optional(licenseKeyField),
    productId: Type.Optional(productIdField),
    types: Type.Optional(listOf('Only events of these types, at most 10.', eventTypes, MAX_TYPES, 'EventType')),
    actor: Type.Optional(
      text('Who caused the change: operator, storefront, client, creator:ID, command:NAME or service:NAME.'),
    ),
    requestId: Type.Optional(
      text('The id of the request that made the change: Latchkey-Request-Id of its answer, else its X-Request-Id.', 64),
    ),
    since: Type.Optional(timestamp('Only events of this moment and later.')),
    until: Type.Optional(timestamp('Only events before this moment.')),
    ...pageFields('Events'),
  }),
  reply: pageReply('events', eventSchema),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, caller }) => {
  const { limit = DEFAULT_LIMIT, cursor = null, since, until, actor, requestId } = fields;
  if (cursor !== null && !isEventId(cursor)) return refuseCursor();
  const reach = await reachOf(sql, fields, scope);
  if (isRefusal(reach)) return reach;
  const filter: EventFilter = {
    ...reach,
    types: fields.types === undefined ? undefined : [...new Set(fields.types)],
    actor,
    requestId,
    since: since === undefined ? undefined : fromTimestamp(since),
    until: until === undefined ? undefined : fromTimestamp(until),
  };
  const { events, next } = await pageOfEvents(sql, filter, cursor, limit);
  return {
    success: true,
    events: events.map((event) => eventView(event, scope, isViewer(caller))),
    count: events.length,
    ...(next === null ? {} : { nextCursor: next }),
  };
});

type Reach = Pick<EventFilter, 'productIds' | 'creatorId' | 'licenseKey'>;

/** The part of the requested data that the caller may see. Data out of scope yields the same list as missing data. */
async function reachOf(
  sql: Sql,
  given: { readonly licenseKey?: string; readonly productId?: string },
  scope: Scope,
): Promise<Reach | Refusal<'too_many_products'>> {
  const { productId } = given;
  if (given.licenseKey !== undefined) {
    const license = await findLicense(sql, storedLicenseKey(given.licenseKey), scope);
    const isMeant = license !== undefined && (productId ?? license.productId) === license.productId;
    return isMeant ? { productIds: [license.productId], licenseKey: license.licenseKey } : { productIds: [] };
  }
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable) || scope.creatorId === null || productId !== undefined) return reachable;
  return { ...reachable, creatorId: scope.creatorId };
}
