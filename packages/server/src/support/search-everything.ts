import Type from 'typebox';
import { findDiscountCode } from '../discount-codes/store.ts';
import type { Scope } from '../endpoint/caller.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { text, wholeNumber } from '../endpoint/field-types.ts';
import { refuse } from '../endpoint/refusals.ts';
import type { Sql } from '../storage/storage.ts';
import { findSeatInScope, findStudioOrder } from '../studio-orders/store.ts';
import {
  codeHit,
  type Hit,
  hitSchema,
  licenseHit,
  machineHit,
  orderHit,
  productHit,
  purchaseHit,
  requestHit,
  seatHit,
} from './hits.ts';
import { type LookUps, looksLikeSecret, lookUpsFor } from './query-form.ts';
import {
  searchEmails,
  searchFingerprint,
  searchHostnames,
  searchKeys,
  searchProducts,
  searchPurchases,
  searchRequest,
} from './search-store.ts';

const MAXIMUM_HITS = 20;

/** GET/POST /searchEverything (rules 4.3.1). */
export const searchEverything = endpoint({
  path: '/searchEverything',
  methods: ['GET', 'POST'],
  access: 'admin',
  needs: 'viewer',
  summary: 'Find everything that a text names',
  description:
    'Finds licenses by their key or its beginning (with any separators, in any case) and by e-mail address; ' +
    'purchases, studio orders, seats, discount codes and requests by their identifiers; products by the beginning of ' +
    'slug or name. adminSecret also finds licenses by the beginning of an address, and machines, including those ' +
    'that were only refused, by fingerprint or the beginning of a hostname. The form of the text decides where it is ' +
    'searched. A text that looks like a credential is refused.',
  example: {
    after: ['/createLicense'],
    request: { query: EXAMPLE.email },
    reply: {
      success: true,
      hits: [
        {
          kind: 'license',
          matchedBy: 'email',
          title: EXAMPLE.email,
          licenseKey: MADE_BY_SERVICE.licenseKey,
          id: null,
          status: 'active',
          at: EXAMPLE_NOW,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    query: text('The text to search for.', 320),
    limit: Type.Optional(wholeNumber(`Hits per answer; ${MAXIMUM_HITS} by default.`, 1, MAXIMUM_HITS)),
  }),
  missing: 'Missing query',
  reply: Type.Object({
    success: Type.Literal(true),
    hits: Type.Array(hitSchema),
    count: Type.Integer({ description: 'Hits in this answer.' }),
  }),
  refusals: ['query_is_secret'],
}).read(async (sql, { fields, scope, now }) => {
  const { query, limit = MAXIMUM_HITS } = fields;
  if (looksLikeSecret(query)) return refuse('query_is_secret');
  const lookUps = lookUpsFor(query, scope.creatorId === null);
  const hits = (await find(sql, lookUps, scope, limit, now)).slice(0, limit);
  return { success: true, hits, count: hits.length };
});

/** The results of the look-ups in order, without duplicates. */
async function find(sql: Sql, lookUps: LookUps, scope: Scope, limit: number, now: number): Promise<readonly Hit[]> {
  const { key, email, purchaseId, studioOrderId, seatCode, product, discountCode, requestId } = lookUps;
  const { hostname, fingerprint } = lookUps;
  const hits: Hit[] = [];
  if (studioOrderId !== undefined) {
    const order = await findStudioOrder(sql, studioOrderId, scope);
    if (order !== undefined) hits.push(orderHit(order));
  }
  if (seatCode !== undefined) {
    const seat = await findSeatInScope(sql, seatCode, scope);
    if (seat !== undefined) hits.push(seatHit(seat));
  }
  if (key !== undefined)
    for (const each of await searchKeys(sql, key, scope, limit, now)) hits.push(licenseHit(each, 'key'));
  if (purchaseId !== undefined)
    for (const each of await searchPurchases(sql, purchaseId, scope, limit, now))
      hits.push(purchaseHit(each, purchaseId));
  if (discountCode !== undefined) {
    const code = await findDiscountCode(sql, discountCode, scope);
    if (code !== undefined) hits.push(codeHit(code));
  }
  if (requestId !== undefined)
    for (const each of await searchRequest(sql, requestId, scope, limit)) hits.push(requestHit(each, requestId));
  if (fingerprint !== undefined)
    for (const each of await searchFingerprint(sql, fingerprint, limit)) hits.push(machineHit(each, 'fingerprint'));
  if (email !== undefined)
    for (const each of await searchEmails(sql, email, scope, limit, now)) hits.push(licenseHit(each, 'email'));
  if (product !== undefined)
    for (const each of await searchProducts(sql, product, scope, limit)) hits.push(productHit(each));
  if (hostname !== undefined)
    for (const each of await searchHostnames(sql, hostname, limit)) hits.push(machineHit(each, 'hostname'));
  return withoutRepeats(hits);
}

/**
 * Removes duplicates: a product may match by slug and by name, a machine by its fingerprint and by several former
 * hostnames.
 */
function withoutRepeats(hits: readonly Hit[]): readonly Hit[] {
  const isSame = (one: Hit, other: Hit) =>
    one.kind === other.kind &&
    one.licenseKey === other.licenseKey &&
    one.id === other.id &&
    (one.kind === 'machine' || one.title === other.title);
  return hits.filter((hit, index) => hits.findIndex((other) => isSame(hit, other)) === index);
}
