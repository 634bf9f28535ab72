import Type from 'typebox';
import { findDiscountCode } from '../../commerce/discount-codes/store.ts';
import { findSeatInScope, findStudioOrder, searchOrderIds } from '../../commerce/studio-orders/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
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
  saleHit,
  seatHit,
  userHit,
} from './hits.ts';
import { searchFingerprint, searchHostnames } from './machine-search-store.ts';
import { searchMetadata } from './metadata-search-store.ts';
import { searchPart } from './part-search-store.ts';
import { MAX_NAMES, namesIn } from './pasted-text.ts';
import { type LookUps, looksLikeSecret, lookUpsFor } from './query-form.ts';
import { searchSellerIds } from './sale-search-store.ts';
import {
  countSearchedProducts,
  MAX_PRODUCTS,
  namesByKey,
  searchEmails,
  searchKeyEnds,
  searchKeys,
  searchProducts,
  searchPurchases,
  searchRequest,
} from './search-store.ts';
import { searchUsers } from './user-search-store.ts';

const MAX_HITS = 20;
/** With the 64 KiB of a request, about that many characters of any script can be sent. */
const LONGEST_QUERY = 20_000;
/**
 * Names of a text times products of the creator, each of which is asked for each name: a search of that size takes
 * PostgreSQL about 0.1 s.
 */
const MAX_NAMES_TIMES_PRODUCTS = 5_000;
/** Longer texts, and texts of several lines, are pasted, not typed. */
const LONGEST_TYPED = 320;

/** GET/POST /searchEverything (rules 4.3.1). */
export const searchEverything = endpoint({
  path: '/searchEverything',
  access: 'admin',
  needs: 'viewer',
  summary: 'Find everything that a text names',
  description:
    'Finds licenses by their key, its beginning (with any separators, in any case) or its last one or two groups, by ' +
    'e-mail address, its domain or the last name in it, and by a value of their metadata; ' +
    'purchases by their identifiers or the number at their end; studio orders, seats, discount codes and requests by their identifiers; licenses of connected shops by ' +
    'the identifiers of their sale at the seller; products by the beginning of ' +
    'slug or name. adminSecret also finds licenses by the beginning of an address, a domain, a last name, a purchase or the ' +
    'number of an order, studio orders by the ' +
    'beginning of their ids, users by the beginning of their name, and machines, including those that were only ' +
    'refused, by fingerprint or the beginning of a hostname. The form of the text decides where it is searched. A longer text, such as a mail, is searched for the ' +
    'names in it. A text that looks like a credential is refused.',
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
          email: EXAMPLE.email,
          productId: EXAMPLE.productId,
          lastSeenAt: null,
        },
      ],
      count: 1,
      isMore: false,
      searchedFor: [],
    },
  },
  fields: Type.Object({
    query: text('The text to search for: a name, or a text that holds names.', LONGEST_QUERY),
    limit: Type.Optional(wholeNumber(`Hits per answer; ${MAX_HITS} by default.`, 1, MAX_HITS)),
  }),
  reply: success({
    hits: Type.Array(hitSchema),
    count: Type.Integer({ description: 'Hits in this answer.' }),
    isMore: Type.Boolean({ description: 'Whether there are more hits than this answer shows.' }),
    searchedFor: Type.Array(Type.String(), {
      description: `The names in a longer text that were looked for, at most ${MAX_NAMES}, fewer for a creator of more than ${MAX_NAMES_TIMES_PRODUCTS / MAX_NAMES} products; empty if the text is one.`,
    }),
  }),
  refusals: ['query_is_secret'],
}).read(async (sql, { fields, scope, now }) => {
  const { query, limit = MAX_HITS } = fields;
  if (looksLikeSecret(query)) return refuse('query_is_secret');
  const text = query.trim();
  const namesInText = async () => affordable(sql, namesIn(text), scope);
  const isPasted = text.length > LONGEST_TYPED || /[\r\n]/.test(text);
  let searchedFor: readonly string[] = isPasted ? await namesInText() : [text];
  let found = await findAll(sql, searchedFor, scope, limit + 1, now);
  const within = found.length === 0 && searchedFor[0] === text ? await namesInText() : [];
  if (within.some((name) => name !== text)) {
    searchedFor = within;
    found = await findAll(sql, within, scope, limit + 1, now);
  }
  const shown = found.slice(0, limit);
  const known = await namesByKey(sql, [...new Set(shown.flatMap(({ licenseKey }) => licenseKey ?? []))]);
  const hits = shown.map((hit) => {
    const ofLicense = known.get(hit.licenseKey ?? '');
    const email = hit.email ?? ofLicense?.email ?? null;
    const productId = hit.productId ?? ofLicense?.productId ?? null;
    // A machine has its own; a refused one has none.
    const { lastSeenAt = ofLicense?.lastSeenAt ?? null } = hit;
    return { ...hit, email, productId, lastSeenAt };
  });
  const names = searchedFor[0] === text ? [] : searchedFor;
  return { success: true, hits, count: hits.length, isMore: found.length > limit, searchedFor: names };
});

/** The first of the names, as many as a search of this caller may cost. */
async function affordable(sql: Sql, names: readonly string[], { creatorId }: Scope): Promise<readonly string[]> {
  if (creatorId === null || names.length * MAX_PRODUCTS <= MAX_NAMES_TIMES_PRODUCTS) return names;
  const products = await countSearchedProducts(sql, creatorId);
  return names.slice(0, Math.floor(MAX_NAMES_TIMES_PRODUCTS / Math.max(products, 1)));
}

/** The results for some texts, in order, without duplicates; ends with the text that fills the limit. */
async function findAll(
  sql: Sql,
  texts: readonly string[],
  scope: Scope,
  limit: number,
  now: number,
): Promise<readonly Hit[]> {
  let found: readonly Hit[] = [];
  for (const text of texts) {
    if (found.length >= limit) break;
    const lookUps = lookUpsFor(text, scope.creatorId === null);
    found = withoutRepeats([...found, ...(await find(sql, lookUps, scope, limit, now))]);
  }
  return found;
}

/** The results of the look-ups in order, without duplicates. */
async function find(sql: Sql, lookUps: LookUps, scope: Scope, limit: number, now: number): Promise<readonly Hit[]> {
  const { key, email, user, metadata, purchaseId, studioOrderId, seatCode, product, discountCode, requestId } = lookUps;
  const { hostname, fingerprint, keyEnd, studioOrder, sellerId, domain, lastName, orderNumber } = lookUps;
  const hits: Hit[] = [];
  if (studioOrderId !== undefined) {
    const order = await findStudioOrder(sql, studioOrderId, scope);
    if (order !== undefined) hits.push(orderHit(order));
  }
  if (studioOrder !== undefined)
    for (const each of await searchOrderIds(sql, studioOrder.from, studioOrder.to, limit)) hits.push(orderHit(each));
  if (seatCode !== undefined) {
    const seat = await findSeatInScope(sql, seatCode, scope);
    if (seat !== undefined) hits.push(seatHit(seat));
  }
  if (key !== undefined)
    for (const each of await searchKeys(sql, key, scope, limit, now)) hits.push(licenseHit(each, 'key'));
  if (keyEnd !== undefined)
    for (const each of await searchKeyEnds(sql, keyEnd, scope, limit, now)) hits.push(licenseHit(each, 'keyEnd'));
  if (purchaseId !== undefined)
    for (const each of await searchPurchases(sql, purchaseId, scope, limit, now))
      hits.push(purchaseHit(each, 'purchaseId'));
  if (sellerId !== undefined)
    for (const each of await searchSellerIds(sql, sellerId, scope, limit, now)) hits.push(saleHit(each, sellerId));
  if (orderNumber !== undefined)
    for (const each of await searchPart(sql, 'order_number', orderNumber, scope, limit, now))
      hits.push(purchaseHit(each, 'orderNumber'));
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
  if (domain !== undefined)
    for (const each of await searchPart(sql, 'domain', domain, scope, limit, now))
      hits.push(licenseHit(each, 'domain'));
  if (lastName !== undefined)
    for (const each of await searchPart(sql, 'last_name', lastName, scope, limit, now))
      hits.push(licenseHit(each, 'lastName'));
  if (metadata !== undefined)
    for (const each of await searchMetadata(sql, metadata, scope, limit, now)) hits.push(licenseHit(each, 'metadata'));
  if (user !== undefined) for (const each of await searchUsers(sql, user, limit)) hits.push(userHit(each));
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
    // A sale has one id at its seller and another here, which may end with it.
    (one.id === other.id || one.kind === 'purchase') &&
    (one.kind === 'machine' || one.title === other.title);
  return hits.filter((hit, index) => hits.findIndex((other) => isSame(hit, other)) === index);
}
