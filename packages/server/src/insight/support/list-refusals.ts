import Type from 'typebox';
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { listLicensesOf } from '../../licensing/licenses/license-set-store.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { isRefusalId, KEPT_REFUSAL_CODES, type KeptRefusalCode } from '../../licensing/observed-calls/kept-refusal.ts';
import { pageOfRefusals, type RefusalFilter } from '../../licensing/observed-calls/refusal-listing-store.ts';
import { refusalSchema, refusalView } from '../../licensing/observed-calls/view.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { listProductIds } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, productIdField, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { DEFAULT_LIMIT, pageFields, pageReply, refuseCursor } from '../../platform/endpoint/page.ts';
import { isRefusal, type Refusal } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';

/** Maximum number of a creator's products in the operator's list: the oldest ones. */
const MAX_PRODUCTS = 1_000;

const anyCode = ` *(?:${KEPT_REFUSAL_CODES.join('|')}) *`;
const codesField = Type.String({
  description: `Only refusals with one of these codes: a comma-separated list of ${KEPT_REFUSAL_CODES.join(', ')}.`,
  maxLength: 255,
  pattern: `^${anyCode}(?:,${anyCode})*$`,
  errorText: `must be a comma-separated list of ${KEPT_REFUSAL_CODES.join(', ')}`,
});

const refused = { fingerprint: 'c41d8e07b2f6935a', hostname: 'Old laptop' };

/** GET/POST /listRefusals (rules 4.3.4). */
export const listRefusals = endpoint({
  path: '/listRefusals',
  access: 'admin',
  needs: 'viewer',
  summary: 'List refused calls of apps, newest first',
  description:
    'Lists refused calls of the client endpoints across licenses: machine, code, number and times; all given filters ' +
    'must match. Calls of one machine and code within an hour are one entry. Entries are ordered by the time of ' +
    'their first call, so repeats do not move them. `nextCursor` is present when there may be more; give it as ' +
    '`cursor` for the next page. A page may then hold fewer refusals than `limit`, even none, because it examines a ' +
    'bounded number of them. An API key sees the refusals of the products that its creator owns today; one whose ' +
    'creator owns more than 30 products must name a product or a license. Refusals are kept for 90 days, at most 50 ' +
    'entries per license.',
  example: {
    after: ['/activate'],
    beforehand: [
      { to: '/updateLicense', request: { licenseKey: MADE_BY_SERVICE.licenseKey, maxMachines: 1 } },
      {
        to: '/activate',
        request: {
          licenseKey: MADE_BY_SERVICE.licenseKey,
          machineFingerprint: refused.fingerprint,
          hostname: refused.hostname,
          productId: EXAMPLE.productId,
        },
        refused: 'machine_limit',
      },
    ],
    request: { code: 'machine_limit', productId: EXAMPLE.productId },
    reply: {
      success: true,
      refusals: [
        {
          id: MADE_BY_SERVICE.refusalId,
          licenseKey: MADE_BY_SERVICE.licenseKey,
          email: EXAMPLE.email,
          productId: EXAMPLE.productId,
          endpoint: '/activate',
          code: 'machine_limit',
          error: 'Machine limit reached (1). Deactivate another machine first.',
          machineFingerprint: refused.fingerprint,
          hostname: refused.hostname,
          count: 1,
          firstAt: EXAMPLE_NOW,
          lastAt: EXAMPLE_NOW,
          details: { limit: 1 },
          requestId: MADE_BY_SERVICE.requestId,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    licenseKey: Type.Optional(licenseKeyField),
    productId: Type.Optional(productIdField),
    creatorId: Type.Optional(text("The products' owner of today; for adminSecret, ignored for API keys.")),
    code: Type.Optional(codesField),
    machineFingerprint: Type.Optional(text('Only refusals of this machine.', 512)),
    since: Type.Optional(timestamp('Only refusals whose last call was at this moment or later.')),
    until: Type.Optional(timestamp('Only refusals whose first call was before this moment.')),
    ...pageFields('Refusals'),
  }),
  reply: pageReply(
    'refusals',
    resource('RefusalOfLicense', 'A call of an app that was refused, and the license that it was for.', {
      ...refusalSchema.properties,
      licenseKey: Type.String({ description: 'License that it was for.' }),
      email: Type.String({ description: 'E-mail address of the customer.' }),
      productId: Type.String({ description: 'Product that the license is for.' }),
    }),
  ),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { limit = DEFAULT_LIMIT, cursor = null, since, until, code, machineFingerprint: fingerprint } = fields;
  if (cursor !== null && !isRefusalId(cursor)) return refuseCursor();
  const reach = await reachOf(sql, fields, scope);
  if (isRefusal(reach)) return reach;
  const filter: RefusalFilter = {
    ...reach,
    codes: code === undefined ? undefined : codesIn(code),
    fingerprint,
    since: since === undefined ? undefined : fromTimestamp(since),
    until: until === undefined ? undefined : fromTimestamp(until),
  };
  const { refusals: found, next } = await pageOfRefusals(sql, filter, cursor, limit);
  const keys = [...new Set(found.map(({ licenseKey }) => licenseKey))];
  const licenses = keys.length === 0 ? [] : await listLicensesOf(sql, keys, toTimestamp(now));
  const licenseOf = new Map(licenses.map((license) => [license.licenseKey, license]));
  const refusals = found.flatMap((refusal) => {
    const license = licenseOf.get(refusal.licenseKey);
    if (license === undefined) return [];
    const { licenseKey, email, productId } = license;
    return [{ ...refusalView(refusal), licenseKey, email, productId }];
  });
  return { success: true, refusals, count: refusals.length, ...(next === null ? {} : { nextCursor: next }) };
});

/** The codes in a comma-separated list, without duplicates. */
function codesIn(list: string): readonly KeptRefusalCode[] {
  const named = new Set(list.split(',').map((each) => each.trim()));
  return KEPT_REFUSAL_CODES.filter((code) => named.has(code));
}

type Reach = Pick<RefusalFilter, 'productIds' | 'mayPassOthers' | 'licenseKey'>;
type Named = { readonly licenseKey?: string; readonly productId?: string; readonly creatorId?: string };

/** The part of the requested data that the caller may see. Data out of scope yields the same list as missing data. */
async function reachOf(sql: Sql, named: Named, scope: Scope): Promise<Reach | Refusal<'too_many_products'>> {
  const mayPassOthers = scope.creatorId === null;
  // For the operator, the list of a creator equals the list that the creator sees, for any number of products.
  const owner: Scope = { creatorId: scope.creatorId ?? named.creatorId ?? null };
  if (named.licenseKey !== undefined) {
    const license = await findLicense(sql, storedLicenseKey(named.licenseKey), owner);
    if (license === undefined || (named.productId ?? license.productId) !== license.productId)
      return { productIds: [], mayPassOthers: false };
    return { productIds: [license.productId], mayPassOthers, licenseKey: license.licenseKey };
  }
  const reachable = await reachableProducts(sql, named.productId, owner);
  if (!isRefusal(reachable)) return { ...reachable, mayPassOthers };
  if (!mayPassOthers || owner.creatorId === null) return reachable;
  return { productIds: await listProductIds(sql, owner.creatorId, MAX_PRODUCTS), mayPassOthers };
}
