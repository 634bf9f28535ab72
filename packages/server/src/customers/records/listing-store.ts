/**
 * Lists customers: the addresses of licenses, each once. Each step along the index goes to the next address, so an
 * address with many licenses costs as much as one with a single license.
 */
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Dialect, Sql } from '../../storage/contract/storage.ts';

/** Maximum number of licenses counted for each customer of a list. */
export const MAX_LICENSES_COUNTED = 10;

/** A customer as lists show it. */
export interface ListedCustomer {
  /** The address in the form used for comparison. */
  readonly email: string;
  /** Counted up to {@link MAX_LICENSES_COUNTED}. */
  readonly licenses: number;
  /** Creation of the newest license. */
  readonly newestLicenseAt: string;
}

const NAMES = ['after', 'limit', 'most', 'product'] as const;

/** @param agreed the columns in which all licenses of the list agree */
function customersAlong(name: string, agreed: Readonly<Record<string, string>>) {
  return new NamedStatement(name, NAMES, (dialect) => {
    const ofCustomer = { 'l.email_folded': 'c.email', ...agreed };
    return `with recursive c(email, place) as (
        select (${nextAddress(dialect, agreed, ':after')}), 1
        union all
        select (${nextAddress(dialect, agreed, 'c.email')}), c.place + 1 from c
        where c.email is not null and c.place < :limit)
      select c.email as "email",
        (select cast(count(*) as integer) from (select l.license_key from license l
          ${newestFirst(dialect, ofCustomer, ':most')}) counted) as "licenses",
        (select l.created_at from license l ${newestFirst(dialect, ofCustomer, '1')}) as "newestLicenseAt"
      from c where c.email is not null`;
  });
}

function nextAddress(dialect: Dialect, agreed: Readonly<Record<string, string>>, after: string): string {
  const scan = { agreed, cursor: { 'l.email_folded': after }, limit: '1', isRising: true };
  return `select l.email_folded from license l ${indexScan(dialect, scan)}`;
}

// '~' sorts after every character of a timestamp, so the cursor is before the newest license.
function newestFirst(dialect: Dialect, agreed: Readonly<Record<string, string>>, limit: string): string {
  return indexScan(dialect, { agreed, cursor: { 'l.created_at': "'~'", 'l.license_key': "'~'" }, limit });
}

const listAll = customersAlong('license.list_customers', {});
const listOfProduct = customersAlong('license.list_customers_of_product', { 'l.product_id': ':product' });

/**
 * The customers of all products, in the order of their addresses.
 *
 * @param after lists addresses after this one; '' starts with the first
 */
export async function listCustomersOfAll(sql: Sql, after: string, limit: number): Promise<readonly ListedCustomer[]> {
  const found = await listAll.all<ListedCustomer>(sql, { after, limit, most: MAX_LICENSES_COUNTED, product: null });
  return found.sort(byAddress);
}

/** Like {@link listCustomersOfAll}, of some products, each once. Only the licenses for these count. */
export async function listCustomersOf(
  sql: Sql,
  productIds: readonly string[],
  after: string,
  limit: number,
): Promise<readonly ListedCustomer[]> {
  const found = new Map<string, ListedCustomer>();
  for (const product of productIds)
    for (const each of await listOfProduct.all<ListedCustomer>(sql, {
      after,
      limit,
      most: MAX_LICENSES_COUNTED,
      product,
    }))
      found.set(each.email, together(found.get(each.email), each));
  return [...found.values()].sort(byAddress).slice(0, limit);
}

/** One customer of two products. */
function together(one: ListedCustomer | undefined, other: ListedCustomer): ListedCustomer {
  if (one === undefined) return other;
  return {
    email: one.email,
    licenses: Math.min(one.licenses + other.licenses, MAX_LICENSES_COUNTED),
    newestLicenseAt: one.newestLicenseAt > other.newestLicenseAt ? one.newestLicenseAt : other.newestLicenseAt,
  };
}

/** The order of both databases, which compare bytes. */
function byAddress(one: ListedCustomer, other: ListedCustomer): number {
  return Buffer.compare(Buffer.from(one.email), Buffer.from(other.email));
}
