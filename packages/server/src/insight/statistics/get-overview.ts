import Type from 'typebox';
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { eventSchema, eventView } from '../../licensing/licenses/event-view.ts';
import { slotLimit, slotsUsed } from '../../licensing/licenses/license.ts';
import { listLicensesOf } from '../../licensing/licenses/license-set-store.ts';
import { licenseTypeSchema } from '../../licensing/licenses/views.ts';
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import { exampleProduct } from '../../licensing/products/examples.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import {
  nullable,
  productIdField,
  resource,
  success,
  timestamp,
  wholeNumber,
} from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { isViewer } from '../../platform/endpoint/roles.ts';
import { listEvents } from '../../platform/events/listing-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { codeOfMetric, REFUSAL_METRICS } from './counted-metrics.ts';
import { FULLEST_POOLS, isNearlyFull, type LicenseTotal, NO_LICENSES, sumOfTotals } from './license-total.ts';
import { findNewestTotal, listTotals } from './license-total-store.ts';
import { FEWEST_OF_LARGE_SHOP, findLiveTotal } from './live-total-store.ts';
import { countExpiring, countOpenViolations, sumStatistics } from './overview-store.ts';
import { STEP_MS, startOfStep } from './period.ts';

const USUAL_DAYS = 30;
/**
 * Up to this number of days, refusals are added up by hours, which are stored for two weeks; beyond it by whole days.
 */
const MAX_DAYS_BY_HOURS = 7;
/** A license that expires within this number of days counts as expiring soon. */
const EXPIRING_WITHIN_DAYS = 30;
const NEWEST_EVENTS = 10;

const isAtLeast = Type.Boolean({ description: 'True when there are more: counting ends at 1000.' });
const asOf = timestamp('The moment for which this was counted.');
const number = (description: string) => Type.Integer({ description });

/** GET/POST /getOverview (rules 4.11.1). */
export const getOverview = endpoint({
  path: '/getOverview',
  access: 'admin',
  needs: 'viewer',
  summary: 'The state of all licenses at a glance',
  description:
    'Answers in one call everything on the first page of a console. All figures are current below 10,000 licenses of ' +
    'the products in question. From there on `totals`, `liveSessions` and the choice of `fullestPools` come from a ' +
    'count of all licenses that runs in the background: every five minutes up to 100,000 licenses, otherwise every ' +
    'hour, the first time a minute after the start; until then `totals` and `liveSessions` are null. Without ' +
    '`productId` all products are added up; an API key whose creator owns more than 30 products must name one.',
  example: {
    after: ['/createProduct'],
    request: { days: 7, productId: EXAMPLE.productId },
    reply: {
      success: true,
      totals: { active: 0, revoked: 0, expired: 0, asOf: EXAMPLE_NOW },
      liveSessions: { count: 0, asOf: EXAMPLE_NOW },
      expiringSoon: { count: 0, isAtLeast: false },
      openViolations: { severities: [], isAtLeast: false },
      fullestPools: [],
      refusalsByCode: [],
      newestEvents: [
        {
          id: MADE_BY_SERVICE.eventId,
          at: EXAMPLE_NOW,
          type: 'product.created',
          actor: { kind: 'operator', id: null, keyName: null },
          licenseKey: null,
          licenseNumber: null,
          productId: EXAMPLE.productId,
          creatorId: EXAMPLE.creatorId,
          subject: null,
          requestId: MADE_BY_SERVICE.requestId,
          before: null,
          after: { name: exampleProduct.name, creatorId: EXAMPLE.creatorId, status: 'live' },
        },
      ],
    },
  },
  fields: Type.Object({
    days: Type.Optional(wholeNumber(`Number of days of refusals to show; ${USUAL_DAYS} by default.`, 1, 365)),
    productId: Type.Optional(productIdField),
  }),
  reply: success({
    totals: nullable(
      Type.Object(
        { active: number('Active.'), revoked: number('Revoked.'), expired: number('Expired.'), asOf },
        { description: 'Licenses by status. One that changed while they were counted counts as it was met.' },
      ),
    ),
    liveSessions: nullable(
      Type.Object({ count: number('Floating sessions that were live.'), asOf }, { description: 'Floating sessions.' }),
    ),
    expiringSoon: Type.Object(
      { count: number('Active licenses that expire.'), isAtLeast },
      { description: `Licenses that expire within ${EXPIRING_WITHIN_DAYS} days.` },
    ),
    openViolations: Type.Object(
      {
        severities: Type.Array(Type.Object({ severity: number('1 to 4.'), count: number('Open violations.') }), {
          description: 'Severities of which there are any, the mildest first.',
        }),
        isAtLeast,
      },
      { description: 'Violations that are not resolved.' },
    ),
    fullestPools: Type.Array(
      resource('FullPool', 'A license that uses at least 90 % of its slots.', {
        licenseKey: Type.String({ description: 'License key.' }),
        email: Type.String({ description: 'E-mail address of the customer.' }),
        productId: Type.String({ description: 'Product that it is for.' }),
        licenseType: licenseTypeSchema,
        used: number('Machines, or live sessions of a floating license.'),
        limit: number('How many there may be.'),
      }),
      {
        description:
          `Up to ${FULLEST_POOLS} licenses, those with the highest limits first. From 10,000 licenses on they were ` +
          'found by the last count; their figures are of this moment.',
      },
    ),
    refusalsByCode: Type.Array(
      resource('RefusalFigures', 'How often the client endpoints refused with one code.', {
        code: Type.String({ description: 'As in the header `Latchkey-Code`.' }),
        count: number('How often.'),
      }),
      {
        description:
          'The most frequent first; of whole hours where `days` is at most 7, otherwise of whole days of UTC.',
      },
    ),
    newestEvents: Type.Array(eventSchema, { description: `The last ${NEWEST_EVENTS} changes, the newest first.` }),
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, caller, now }) => {
  const { days = USUAL_DAYS, productId } = fields;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const { productIds } = reachable;
  const counted = await readTotals(sql, productIds, now);
  const expiry = toTimestamp(now + EXPIRING_WITHIN_DAYS * DAY_MS);
  // A creator's events include those without a product, as in /listEvents.
  const own = productId === undefined && scope.creatorId !== null ? { creatorId: scope.creatorId } : {};
  const events = await listEvents(sql, { productIds, ...own }, null, NEWEST_EVENTS);
  return {
    success: true,
    totals: counted && {
      active: counted.active,
      revoked: counted.revoked,
      expired: counted.expired,
      asOf: counted.asOf,
    },
    liveSessions: counted && { count: counted.liveSessions, asOf: counted.asOf },
    expiringSoon: await countExpiring(sql, productIds, toTimestamp(now), expiry),
    openViolations: await countOpenViolations(sql, productIds),
    fullestPools: counted === null ? [] : await readPools(sql, counted, now),
    refusalsByCode: await readRefusals(sql, productIds ?? [ALL_PRODUCTS], days, now),
    newestEvents: events.map((event) => eventView(event, scope, isViewer(caller))),
  };
});

/** Totals at a moment, a timestamp. */
export type DatedTotal = LicenseTotal & { readonly asOf: string };

/**
 * The totals of these products, added up: of this moment for a small shop, of the last count for a large one, and null
 * for a large one before its first count.
 */
export async function readTotals(
  sql: Sql,
  productIds: readonly string[] | null,
  now: number,
): Promise<DatedTotal | null> {
  const counted = await readLastCount(sql, productIds);
  // Licenses are never deleted, so a shop that was large still is.
  if (counted !== null && counted.active + counted.revoked + counted.expired >= FEWEST_OF_LARGE_SHOP) return counted;
  const asOf = toTimestamp(now);
  const live = await findLiveTotal(sql, productIds, asOf);
  return live === null ? counted : { ...live, asOf };
}

async function readLastCount(sql: Sql, productIds: readonly string[] | null): Promise<DatedTotal | null> {
  const all = await findNewestTotal(sql);
  if (all === undefined) return null;
  if (productIds === null) return all;
  const own = await listTotals(sql, productIds, all.scan);
  return { ...own.reduce<LicenseTotal>(sumOfTotals, NO_LICENSES), asOf: all.asOf };
}

/** The licenses that were nearly full in the last count and still are. */
export async function readPools(sql: Sql, { fullestPools }: LicenseTotal, now: number) {
  if (fullestPools.length === 0) return [];
  const licenseKeys = fullestPools.map(({ licenseKey }) => licenseKey);
  const found = await listLicensesOf(sql, licenseKeys, toTimestamp(now));
  return found
    .filter((license) => isNearlyFull(license, now))
    .map((license) => ({
      licenseKey: license.licenseKey,
      email: license.email,
      productId: license.productId,
      licenseType: license.licenseType,
      used: slotsUsed(license),
      limit: slotLimit(license),
    }))
    .sort((one, other) => other.limit - one.limit || (one.licenseKey < other.licenseKey ? -1 : 1));
}

/** The number of refusals per code in the last days, over all client endpoints. */
async function readRefusals(sql: Sql, productIds: readonly string[], days: number, now: number) {
  const step = days <= MAX_DAYS_BY_HOURS ? 'hour' : 'day';
  const from = toTimestamp(startOfStep(now - days * DAY_MS + STEP_MS[step], step));
  const counts = new Map<string, number>();
  for (const { metric, value } of await sumStatistics(sql, productIds, step, REFUSAL_METRICS, from)) {
    const code = codeOfMetric(metric);
    counts.set(code, (counts.get(code) ?? 0) + value);
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1));
}
