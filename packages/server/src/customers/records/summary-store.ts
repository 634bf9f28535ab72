/** Reads rows of one customer. Each statement reads an index from the customer's first row up to a limit. */
import { foldCode } from '../../ground/base/typed-text.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';

/** Maximum number of licenses counted for a customer. */
export const MAX_LICENSES_COUNTED = 1_000;

const VALUES = ['email', 'product', 'limit'] as const;
const OF_EMAIL = { 'l.email_folded': ':email' };
const OF_EMAIL_AND_PRODUCT = { ...OF_EMAIL, 'l.product_id': ':product' };

const counting = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(name, VALUES, (dialect) => {
    const cursor = { 'l.created_at': "'~'", 'l.license_key': "'~'" };
    return `select cast(count(*) as integer) as "count" from
      (select l.license_key from license l ${indexScan(dialect, { agreed, cursor, limit: ':limit' })}) counted`;
  });

const oldest = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(name, VALUES, (dialect) => {
    const cursor = { 'l.created_at': "''", 'l.license_key': "''" };
    return `select l.created_at as "createdAt" from license l
      ${indexScan(dialect, { agreed, cursor, limit: '1', isRising: true })}`;
  });

const countOfAll = counting('license.count_of_customer', OF_EMAIL);
const countOfProduct = counting('license.count_of_customer_and_product', OF_EMAIL_AND_PRODUCT);
const oldestOfAll = oldest('license.find_oldest_of_customer', OF_EMAIL);
const oldestOfProduct = oldest('license.find_oldest_of_customer_and_product', OF_EMAIL_AND_PRODUCT);

/** The number of an address's licenses, and the time of the first. */
export interface LicensesOfCustomer {
  /** Counted up to {@link MAX_LICENSES_COUNTED}. */
  readonly count: number;
  /** Null without licenses. */
  readonly firstAt: string | null;
}

/**
 * Counts the licenses of an address.
 *
 * @param email in the form used for comparison
 * @param productIds each once; null counts licenses of all products
 */
export async function countLicensesOf(
  sql: Sql,
  email: string,
  productIds: readonly string[] | null,
): Promise<LicensesOfCustomer> {
  const [counted, first] = productIds === null ? [countOfAll, oldestOfAll] : [countOfProduct, oldestOfProduct];
  let [count, firstAt]: [number, string | null] = [0, null];
  for (const product of productIds ?? [null]) {
    const values = { email, product, limit: MAX_LICENSES_COUNTED - count };
    const [row] = await counted.all<{ readonly count: number }>(sql, values);
    if (row === undefined || row.count === 0) continue;
    count += row.count;
    const [{ createdAt } = { createdAt: '' }] = await first.all<{ readonly createdAt: string }>(sql, values);
    if (firstAt === null || createdAt < firstAt) firstAt = createdAt;
  }
  return { count, firstAt };
}

/** Maximum number of orders counted for a customer. */
export const MAX_ORDERS_COUNTED = 100;

const countingOrders = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(name, ['email', 'creator', 'limit'], (dialect) => {
    const cursor = { 'o.created_at': "'~'", 'o.studio_order_id': "'~'" };
    // On SQLite without an order: it would sort all orders of the buyer, because the index begins with an expression.
    const scan = dialect.ordersByAgreed
      ? indexScan(dialect, { agreed, cursor, limit: ':limit' })
      : `where ${dialect.afterCursor(agreed, cursor)} limit :limit`;
    return `select cast(count(*) as integer) as "count" from
      (select o.studio_order_id from studio_order o ${scan}) counted`;
  });

const OF_BUYER = { 'lower(o.buyer_email)': ':email' };
const ordersOfAll = countingOrders('studio_order.count_of_customer', OF_BUYER);
const ordersOfCreator = countingOrders('studio_order.count_of_customer_and_creator', {
  ...OF_BUYER,
  'o.creator_id': ':creator',
});

/** Counts the orders of a buyer up to {@link MAX_ORDERS_COUNTED}; `email` is compared without the case of A to Z. */
export async function countOrdersOf(sql: Sql, email: string, creatorId: string | null): Promise<number> {
  const counted = creatorId === null ? ordersOfAll : ordersOfCreator;
  const values = { email, creator: creatorId, limit: MAX_ORDERS_COUNTED };
  const [row] = await counted.all<{ readonly count: number }>(sql, values);
  return row?.count ?? 0;
}

/** A code that a customer redeemed. */
export interface RedeemedCode {
  readonly code: string;
  readonly licenseKey: string;
  readonly redeemedAt: string;
}

const REDEEMED = `c.code as "code", r.license_key as "licenseKey", r.redeemed_at as "redeemedAt"`;

const redemptions = statement(
  'redemption.list_of_customer',
  `select ${REDEEMED} from
     (select * from redemption o where o.email_folded = $1 order by o.email_folded, o.code_folded limit $2) r
   join discount_code c on c.code_folded = r.code_folded order by r.redeemed_at desc, r.code_folded`,
);

const redemptionsOfCodes = statement(
  'redemption.list_of_customer_and_codes',
  (dialect) => `select ${REDEEMED} from redemption r join discount_code c on c.code_folded = r.code_folded
    where r.code_folded ${dialect.among('$2')} and r.email_folded = $1 and (c.creator_id = $3 or $3 is null)
    order by r.redeemed_at desc, r.code_folded`,
);

const codesOfLicenses = statement(
  'license.list_codes_of',
  (dialect) => `select l.discount_code as "code" from license l
    where l.license_key ${dialect.among('$1')} and l.discount_code is not null`,
);

/** The codes that an address redeemed, newest first, at most `limit` of them. */
export function listRedeemedCodes(sql: Sql, email: string, limit: number): Promise<readonly RedeemedCode[]> {
  return sql.all<RedeemedCode>(redemptions, email, limit);
}

/**
 * The codes that an address redeemed for some licenses, newest first; null as `creatorId` means all creators. They are
 * found by the codes that the licenses name, so that no redemption of another creator's code is read.
 */
export async function listRedeemedFor(
  sql: Sql,
  email: string,
  licenseKeys: readonly string[],
  creatorId: string | null,
): Promise<readonly RedeemedCode[]> {
  const named = await sql.all<{ readonly code: string }>(codesOfLicenses, listOf(licenseKeys));
  const codes = new Set(named.map(({ code }) => foldCode(code)));
  return sql.all<RedeemedCode>(redemptionsOfCodes, email, listOf([...codes]), creatorId);
}

/** A seat that a customer redeemed. */
export interface RedeemedSeat {
  readonly studioOrderId: string;
  readonly courseTitle: string;
  /** Null in seats of old orders. */
  readonly redeemedAt: string | null;
}

const seats = statement(
  'seat.list_of_customer',
  `select s.studio_order_id as "studioOrderId", o.course_title as "courseTitle", s.redeemed_at as "redeemedAt"
   from (select * from seat f where f.redeemed_by is not null and lower(f.redeemed_by) = $1 limit $2) s
   join studio_order o on o.studio_order_id = s.studio_order_id order by s.redeemed_at desc, s.code`,
);

/** The seats that an address redeemed, newest first; `email` is compared without the case of A to Z. */
export function listRedeemedSeats(sql: Sql, email: string, limit: number): Promise<readonly RedeemedSeat[]> {
  return sql.all<RedeemedSeat>(seats, email, limit);
}
