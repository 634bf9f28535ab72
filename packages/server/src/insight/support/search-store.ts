/**
 * The look-ups of a search. Each finds its rows by an index and reads a bounded number, regardless of the size of the
 * database. Rows out of a creator's scope are either read like those in scope and not selected, or never read at all.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type License, type LicenseStatus, statusAt } from '../../licensing/licenses/license.ts';
import { listLicenses } from '../../licensing/licenses/listing-store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { NEWEST } from '../../platform/endpoint/page.ts';
import { listEvents } from '../../platform/events/listing-store.ts';
import { afterBeginning, listOf, type Sql, statement } from '../../storage/contract/storage.ts';
import type { Beginning } from './query-form.ts';

/** The columns of a license that a hit needs. */
export type LicenseRow = Pick<License, 'licenseKey' | 'email' | 'revocation' | 'expiresAt' | 'graceDays' | 'createdAt'>;

export interface FoundLicense extends Pick<LicenseRow, 'licenseKey' | 'email' | 'createdAt'> {
  readonly status: LicenseStatus;
}

export const LICENSE = `l.license_key as "licenseKey", l.email as "email", l.revocation as "revocation",
  l.expires_at as "expiresAt", l.grace_days as "graceDays", l.created_at as "createdAt"`;

/** Maximum number of a creator's products that a search by purchase covers: the first by id. */
export const MAX_PRODUCTS = 1_000;
/** Maximum number of rows read if the index does not contain the owner. */
export const MAX_LOOKED_AT = 100;
/** Maximum number of machines read for the last sign of life of a license; a site license may have a million. */
export const MAX_MACHINES_OF_HIT = 50;

/** True if a product is in scope; `scope` is the parameter of its creatorId. */
export const ownProduct = (column: string, scope: string) => `(exists
  (select 1 from product p where p.product_id = ${column} and p.creator_id = ${scope}) or ${scope} is null)`;

/**
 * The wanted value ($1) with each product of a creator ($2). As a column of the sub-select, it forces the look-up of
 * licenses product by product, never across all creators.
 */
export const WANTED = `(select p.product_id as product_id, $1 as wanted from product p where p.creator_id = $2
  order by p.product_id limit ${MAX_PRODUCTS})`;
const searchedProducts = statement(
  'product.count_searched',
  `select count(*) as "count" from (select 1 from product p where p.creator_id = $1 limit ${MAX_PRODUCTS}) searched`,
);

/** Newest first within each product, product by product. So at most the licenses of one purchase are sorted. */
const NEWEST_OF_EACH = 'order by o.product_id, l.created_at desc, l.license_key desc limit $3';

const byKey = statement(
  'license.search_key',
  `select ${LICENSE} from
     (select * from license k where k.license_key >= $1 and k.license_key < $2 order by k.license_key limit ${MAX_LOOKED_AT}) l
   where ${ownProduct('l.product_id', '$3')} order by l.license_key limit $4`,
);

const byKeyEnd = statement(
  'license.search_key_end',
  `select ${LICENSE} from
     (select * from license k where substr(k.license_key, length(k.license_key) - 4) = $1
        and substr(k.license_key, length(k.license_key) - $4) = $5
      order by k.license_key limit ${MAX_LOOKED_AT}) l
   where ${ownProduct('l.product_id', '$2')} order by l.license_key limit $3`,
);

const byEmail = statement(
  'license.search_email',
  `select ${LICENSE} from license l where l.email_folded >= $1 and l.email_folded < $2
   order by l.email_folded, l.created_at, l.license_key limit $3`,
);

// Looks one license of each product up. With `exists`, PostgreSQL could collect all licenses of the address first.
const productsOfEmail = statement(
  'product.search_email_of_creator',
  `select o.product_id as "productId" from ${WANTED} o
   where (select l.license_key from license l where l.email_folded = o.wanted and l.product_id = o.product_id limit 1)
     is not null
   order by o.product_id limit $3`,
);

const byPurchase = statement(
  'license.search_purchase',
  `select ${LICENSE} from license l where l.purchase_id is not null and l.purchase_id || '' = $1
   order by l.created_at desc, l.license_key desc limit $2`,
);

const byPurchaseBeginning = statement(
  'license.search_purchase_beginning',
  `select ${LICENSE}, l.purchase_id as "purchaseId" from license l
   where l.purchase_id is not null and l.purchase_id || '' >= $1 and l.purchase_id || '' < $2
   order by l.purchase_id || '', l.created_at, l.license_key limit $3`,
);

const namesOfLicenses = statement(
  'license.list_names',
  (dialect) => `select l.license_key as "licenseKey", l.email as "email", l.product_id as "productId",
      (select max(m.last_seen) from (select a.last_seen from activation a where a.license_key = l.license_key
        order by a.fingerprint limit ${MAX_MACHINES_OF_HIT}) m) as "lastSeenAt"
    from license l where l.license_key ${dialect.among('$1')}`,
);

const byPurchaseOfCreator = statement(
  'license.search_purchase_of_creator',
  `select ${LICENSE} from ${WANTED} o
   join license l on l.purchase_id is not null and l.purchase_id || '' = o.wanted and l.product_id = o.product_id
   ${NEWEST_OF_EACH}`,
);

const PRODUCT = `p.product_id as "productId", p.name as "name", p.status as "status", p.created_at as "createdAt"`;

/** Products by the index of the matching column; `creator` limits them to one creator's. */
const productsBy = (matchedBy: 'slug' | 'name', column: string, from: string, to: string, creator: string) =>
  `select * from (select ${PRODUCT}, '${matchedBy}' as "matchedBy" from product p
     where ${creator} ${column} >= ${from} and ${column} < ${to} order by ${column} limit $5) by_${matchedBy}`;
const productText = (creator: string) => `${productsBy('slug', 'p.product_id', '$1', '$2', creator)}
   union all ${productsBy('name', 'lower(p.name)', '$3', '$4', creator)}`;
const byProduct = statement('product.search', productText(''));
const byProductOfCreator = statement('product.search_of_creator', productText('p.creator_id = $6 and'));

const CHANGE = `e.event_id as "eventId", e.type as "type", e.license_key as "licenseKey", e.product_id as "productId", e.occurred_at as "occurredAt"`;

/** The changes of a request in each product of a creator. */
const changesOfRequest = (condition = '') => `select ${CHANGE} from ${WANTED} o
   join event e on e.request_id is not null and e.product_id is not null
     and e.request_id = o.wanted and e.product_id = o.product_id ${condition}`;

// Where events wait for the index by request, those of the creator's products are visited.
const byRequestOfCreator = statement('event.search_request_of_creator', ({ indexesLate }) =>
  indexesLate
    ? `${changesOfRequest('and e.unindexed is null')}
       union all ${changesOfRequest('and e.unindexed is not null')}
       order by "productId", "eventId" desc limit $3`
    : `${changesOfRequest()} order by o.product_id, e.event_id desc limit $3`,
);

export interface FoundProduct {
  readonly productId: string;
  readonly name: string;
  readonly status: string;
  readonly createdAt: string;
  readonly matchedBy: 'slug' | 'name';
}

/** A change made by a request. */
export interface FoundChange {
  readonly eventId: string;
  readonly type: string;
  readonly licenseKey: string | null;
  readonly productId: string | null;
  readonly occurredAt: string;
}

/** The number of a creator's products that a search by purchase covers. */
export async function countSearchedProducts(sql: Sql, creatorId: string): Promise<number> {
  return (await sql.first<{ readonly count: number }>(searchedProducts, creatorId))?.count ?? 0;
}

/** Licenses whose keys have this prefix. */
export async function searchKeys(sql: Sql, { from, to }: Beginning, { creatorId }: Scope, limit: number, now: number) {
  return foundLicenses(await sql.all<LicenseRow>(byKey, from, to, creatorId, limit), now);
}

/** Licenses whose keys end with this group of five characters, or with these two, separated by a dash. */
export async function searchKeyEnds(sql: Sql, end: string, { creatorId }: Scope, limit: number, now: number) {
  const values = [end.slice(-5), creatorId, limit, end.length - 1, end];
  return foundLicenses(await sql.all<LicenseRow>(byKeyEnd, ...values), now);
}

/** The customer, the product and the last sign of life of a license. */
export interface NamesOfLicense {
  readonly licenseKey: string;
  readonly email: string;
  readonly productId: string;
  readonly lastSeenAt: string | null;
}

/**
 * The customers, products and last signs of life of licenses, by their keys. The caller has checked access to the
 * licenses.
 */
export async function namesByKey(
  sql: Sql,
  licenseKeys: readonly string[],
): Promise<ReadonlyMap<string, NamesOfLicense>> {
  if (licenseKeys.length === 0) return new Map();
  const rows = await sql.all<NamesOfLicense>(namesOfLicenses, listOf(licenseKeys));
  return new Map(rows.map((row) => [row.licenseKey, row]));
}

/** Licenses of customers whose addresses have this prefix; for a creator, only of the exact address. */
export async function searchEmails(
  sql: Sql,
  { from, to, whole }: Beginning & { readonly whole: string },
  { creatorId }: Scope,
  limit: number,
  now: number,
) {
  if (creatorId === null) return foundLicenses(await sql.all<LicenseRow>(byEmail, from, to, limit), now);
  // Newest first within each product, product by product. Each is read along its index, for an address may have
  // hundreds of thousands of licenses.
  const products = await sql.all<Pick<FoundProduct, 'productId'>>(productsOfEmail, whole, creatorId, limit);
  const licenses: LicenseRow[] = [];
  for (const { productId } of products) {
    if (licenses.length >= limit) break;
    const filter = { productIds: [productId], email: whole };
    licenses.push(...(await listLicenses(sql, filter, NEWEST, limit - licenses.length, toTimestamp(now))));
  }
  return foundLicenses(licenses, now);
}

/** A license with its purchase; null without one. */
export interface FoundPurchase extends FoundLicense {
  readonly purchaseId: string | null;
}

/** The columns of a license and its purchase. */
export type PurchaseRow = LicenseRow & Pick<FoundPurchase, 'purchaseId'>;

/** Shorter beginnings of purchases match too much. */
const SHORTEST_PURCHASE = 3;

/** Licenses of purchases whose ids have this prefix, the exact id first; for a creator, of the exact id only. */
export async function searchPurchases(
  sql: Sql,
  purchaseId: string,
  { creatorId }: Scope,
  limit: number,
  now: number,
): Promise<readonly FoundPurchase[]> {
  if (creatorId !== null || purchaseId.length < SHORTEST_PURCHASE) {
    const rows =
      creatorId === null
        ? await sql.all<LicenseRow>(byPurchase, purchaseId, limit)
        : await sql.all<LicenseRow>(byPurchaseOfCreator, purchaseId, creatorId, limit);
    return foundLicenses(rows, now).map((license) => ({ ...license, purchaseId }));
  }
  const to = afterBeginning(purchaseId);
  return foundPurchases(await sql.all<PurchaseRow>(byPurchaseBeginning, purchaseId, to, limit), now);
}

/** The licenses of rows, each with its purchase. */
export function foundPurchases(rows: readonly PurchaseRow[], now: number): FoundPurchase[] {
  const purchases = new Map(rows.map(({ licenseKey, purchaseId }) => [licenseKey, purchaseId]));
  return foundLicenses(rows, now).map((each) => ({ ...each, purchaseId: purchases.get(each.licenseKey) ?? null }));
}

/** Products whose slugs or names have this prefix. */
export function searchProducts(
  sql: Sql,
  { slug, name }: { readonly slug: Beginning; readonly name: Beginning },
  { creatorId }: Scope,
  limit: number,
): Promise<FoundProduct[]> {
  const values = [slug.from, slug.to, name.from, name.to, limit];
  return creatorId === null
    ? sql.all<FoundProduct>(byProduct, ...values)
    : sql.all<FoundProduct>(byProductOfCreator, ...values, creatorId);
}

/** The changes made by a request, newest first; for a creator, those of the products that the creator owns today. */
export function searchRequest(
  sql: Sql,
  requestId: string,
  { creatorId }: Scope,
  limit: number,
): Promise<readonly FoundChange[]> {
  return creatorId === null
    ? listEvents(sql, { productIds: null, requestId }, null, limit)
    : sql.all<FoundChange>(byRequestOfCreator, requestId, creatorId, limit);
}

export function foundLicenses(rows: readonly LicenseRow[], now: number): FoundLicense[] {
  return rows.map(({ licenseKey, email, createdAt, ...decides }) => ({
    licenseKey,
    email,
    createdAt,
    status: statusAt(decides, now),
  }));
}
