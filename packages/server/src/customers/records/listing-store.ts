/**
 * Lists customers: the addresses of licenses, each once. Each step along the index goes to the next address, so an
 * address with many licenses costs as much as one with a single license.
 */
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { afterBeginning, type Dialect, type Sql } from '../../storage/contract/storage.ts';

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

const NAMES = ['after', 'from', 'to', 'limit', 'most', 'product'] as const;

/**
 * @param agreed the columns in which all licenses of the list agree
 * @param isSearch true for the addresses from `from` on and before `to`; false for those after `after`
 * @param indexed these columns as the index by address has them
 */
function customersAlong(name: string, agreed: Readonly<Record<string, string>>, isSearch: boolean, indexed = agreed) {
  const before = isSearch ? 'and l.email_folded < :to' : '';
  return new NamedStatement(name, NAMES, (dialect) => {
    const ofCustomer = { 'l.email_folded': 'c.email', ...agreed };
    const first = isSearch ? addressFrom(indexed) : nextAddress(dialect, indexed, ':after', '');
    return `with recursive c(email, place) as (
        select (${first}), 1
        union all
        select (${nextAddress(dialect, indexed, 'c.email', before)}), c.place + 1 from c
        where c.email is not null and c.place < :limit)
      select c.email as "email",
        (select cast(count(*) as integer) from (select l.license_key from license l
          ${newestFirst(dialect, ofCustomer, ':most')}) counted) as "licenses",
        (select l.created_at from license l ${newestFirst(dialect, ofCustomer, '1')}) as "newestLicenseAt"
      from c where c.email is not null`;
  });
}

function nextAddress(
  dialect: Dialect,
  agreed: Readonly<Record<string, string>>,
  after: string,
  filter: string,
): string {
  const scan = { agreed, cursor: { 'l.email_folded': after }, filter, limit: '1', isRising: true };
  return `select l.email_folded from license l ${indexScan(dialect, scan)}`;
}

/** Includes the address that equals the beginning. */
function addressFrom(agreed: Readonly<Record<string, string>>): string {
  const conditions = Object.entries(agreed).map(([column, value]) => `${column} = ${value} and`);
  return `select l.email_folded from license l
    where ${conditions.join(' ')} l.email_folded >= :from and l.email_folded < :to order by l.email_folded limit 1`;
}

// '~' sorts after every character of a timestamp, so the cursor is before the newest license.
function newestFirst(dialect: Dialect, agreed: Readonly<Record<string, string>>, limit: string): string {
  return indexScan(dialect, { agreed, cursor: { 'l.created_at': "'~'", 'l.license_key': "'~'" }, limit });
}

const OF_PRODUCT = { 'l.product_id': ':product' };
const OF_PRODUCT_BY_ADDRESS = { "l.product_id || ''": ':product' };
const listAll = customersAlong('license.list_customers', {}, false);
const listOfProduct = customersAlong('license.list_customers_of_product', OF_PRODUCT, false, OF_PRODUCT_BY_ADDRESS);
const searchAll = customersAlong('license.search_customers', {}, true);
const searchOfProduct = customersAlong('license.search_customers_of_product', OF_PRODUCT, true, OF_PRODUCT_BY_ADDRESS);

/** The addresses of a page. */
export interface CustomersAsked {
  /** The page begins after this address; '' for the first page. */
  readonly after: string;
  /** Only addresses that begin with this text, in the form used for comparison; null for all. */
  readonly beginning: string | null;
  readonly limit: number;
}

/** The customers of all products, in the order of their addresses. */
export async function listCustomersOfAll(sql: Sql, asked: CustomersAsked): Promise<readonly ListedCustomer[]> {
  const list = asked.beginning === null ? listAll : searchAll;
  return (await list.all<ListedCustomer>(sql, { ...valuesOf(asked), product: null })).sort(byAddress);
}

/** Like {@link listCustomersOfAll}, of some products, each once. Only the licenses for these count. */
export async function listCustomersOf(
  sql: Sql,
  productIds: readonly string[],
  asked: CustomersAsked,
): Promise<readonly ListedCustomer[]> {
  const list = asked.beginning === null ? listOfProduct : searchOfProduct;
  const found = new Map<string, ListedCustomer>();
  for (const product of productIds)
    for (const each of await list.all<ListedCustomer>(sql, { ...valuesOf(asked), product }))
      found.set(each.email, together(found.get(each.email), each));
  return [...found.values()].sort(byAddress).slice(0, asked.limit);
}

/** Follows an address directly: addresses hold no control characters. */
const NEXT = '\u0001';

function valuesOf({ after, beginning, limit }: CustomersAsked) {
  const from = after === '' ? beginning : `${after}${NEXT}`;
  return { after, from, to: afterBeginning(beginning ?? ''), limit, most: MAX_LICENSES_COUNTED };
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
