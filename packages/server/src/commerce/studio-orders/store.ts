/** Stored studio orders and seats. A seat is redeemed under the lock of its order's row. */
import { storedAddress } from '../../ground/base/typed-text.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { foldAscii, listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, Table, textColumn } from '../../storage/contract/table.ts';
import type { RedeemedSeat, Seat, StudioOrder } from './studio-order.ts';

export const orderTable = new Table<StudioOrder>('studio_order', {
  studioOrderId: textColumn('studio_order_id'),
  buyerEmail: textColumn('buyer_email'),
  buyerUserId: textColumn('buyer_user_id'),
  courseId: textColumn('course_id'),
  courseSlug: textColumn('course_slug'),
  courseTitle: textColumn('course_title'),
  creatorId: textColumn('creator_id'),
  seatCount: integerColumn('seat_count'),
  redeemedCount: integerColumn('redeemed_count'),
  pricePerSeat: integerColumn('price_per_seat'),
  totalAmount: integerColumn('total_amount'),
  currency: textColumn('currency'),
  status: textColumn('status'),
  createdAt: textColumn('created_at'),
  externalOrderId: textColumn('external_order_id'),
  purchaseId: textColumn('purchase_id'),
});

const seatTable = new Table<Seat>('seat', {
  code: textColumn('code'),
  studioOrderId: textColumn('studio_order_id'),
  seatNumber: integerColumn('seat_number'),
  redeemedBy: textColumn('redeemed_by'),
  redeemerUserId: textColumn('redeemer_user_id'),
  redeemedAt: textColumn('redeemed_at'),
  storefrontPurchaseId: textColumn('storefront_purchase_id'),
});

const ORDER_COLUMNS = orderTable.select('o');
/** Without the order's identifier, which {@link ORDER_COLUMNS} include. */
const SEAT_COLUMNS = seatTable.select(
  's',
  seatTable.fields.filter((field) => field !== 'studioOrderId'),
);
const findAnyByCode = statement(
  'seat.find_any_of_codes',
  (dialect) => `select s.code as "code" from seat s where s.code ${dialect.among('$1')} limit 1`,
);

const FREE_SEAT = ['code', 'seatNumber', 'studioOrderId'] as const;

const insertOrder = recorded(orderTable.insert('studio_order.insert'));

const insertFree = recorded(
  statement(
    'seat.insert_free',
    (dialect) => `insert into seat (${seatTable.columns(FREE_SEAT).join(', ')})
    select r.code, r.seat_number, r.studio_order_id from ${seatTable.unfold(dialect, '$1', FREE_SEAT)} r where true
    on conflict (code) do nothing`,
  ),
);

const insertSeats = recorded(seatTable.insert('seat.insert'));

const listOfOrder = statement(
  'seat.list_of_order',
  `select ${seatTable.select('s')} from seat s
   where s.studio_order_id = $1 order by s.seat_number`,
);

// One statement, so that the count of redeemed seats and the seats are from the same moment. The order is selected
// first: reading the seats of an order out of scope would reveal their number through the response time.
const findWithSeats = statement(
  'studio_order.find_with_seats',
  `with reached as materialized (
     select * from studio_order k where k.studio_order_id = $1 and (k.creator_id = $2 or $2 is null))
   select ${ORDER_COLUMNS}, ${SEAT_COLUMNS} from reached o join seat s on s.studio_order_id = o.studio_order_id
   order by s.seat_number`,
);

const findByCodeInScope = statement(
  'seat.find_with_order_in_scope',
  `select ${ORDER_COLUMNS}, ${SEAT_COLUMNS} from seat s join studio_order o on o.studio_order_id = s.studio_order_id
   where s.code = $1 and (o.creator_id = $2 or $2 is null)`,
);

const findInScope = statement(
  'studio_order.find',
  `select ${ORDER_COLUMNS} from studio_order o where o.studio_order_id = $1 and (o.creator_id = $2 or $2 is null)`,
);

const lockByCode = statement(
  'studio_order.lock_by_code',
  (dialect) => `select o.studio_order_id as "studioOrderId" from studio_order o
    where o.studio_order_id = (select s.studio_order_id from seat s where s.code = $1) ${dialect.forUpdate}`,
);

const findHeld = statement(
  'seat.find_of_redeemer',
  'select s.code as "code" from seat s where s.studio_order_id = $1 and s.redeemer_user_id = $2',
);

const updateSeat = recorded(
  statement(
    'seat.redeem',
    `update seat set redeemed_by = $2, redeemer_user_id = $3, redeemed_at = $4, storefront_purchase_id = $5
   where code = $1`,
  ),
);

const updateCount = recorded(
  statement(
    'studio_order.update_redeemed_count',
    'update studio_order set redeemed_count = $2 where studio_order_id = $1',
  ),
);

// A list of one creator's orders always reads an index limited to that creator, regardless of the other filters.
const listPage = (name: string, agreed: Readonly<Record<string, string>>, filter = '') =>
  new NamedStatement(
    `studio_order.${name}`,
    ['createdAt', 'id', 'limit', 'from', 'buyerUserId', 'email', 'courseId', 'creatorId'],
    (dialect) =>
      `select ${ORDER_COLUMNS} from studio_order o ${indexScan(dialect, {
        agreed,
        cursor: { 'o.created_at': ':createdAt', 'o.studio_order_id': ':id' },
        last: { 'o.created_at': ':from' },
        filter,
        limit: ':limit',
      })}`,
  );

const [BY_EMAIL, BY_CREATOR] = [{ 'lower(o.buyer_email)': ':email' }, { 'o.creator_id': ':creatorId' }];
const BY_COURSE = { 'o.course_id': ':courseId' };
const listAll = listPage('list', {});
const listBy = {
  buyerUserId: listPage('list_by_buyer', { 'o.buyer_user_id': ':buyerUserId' }),
  courseId: listPage('list_by_course', BY_COURSE),
  creatorId: listPage('list_by_creator', BY_CREATOR),
} as const;

/** Skips the buyer's orders for other courses, which are few. */
const OF_COURSE = 'and (o.course_id = :courseId or :courseId is null)';
const searchByEmail = listPage('search_email', BY_EMAIL, OF_COURSE);
const searchByCreatorEmail = listPage('search_creator_email', { ...BY_EMAIL, ...BY_CREATOR }, OF_COURSE);
const searchByCreatorCourse = listPage('search_creator_course', { ...BY_COURSE, ...BY_CREATOR });

const searchById = statement(
  'studio_order.search_id',
  `select ${ORDER_COLUMNS} from studio_order o where o.studio_order_id >= $1 and o.studio_order_id < $2
   order by o.studio_order_id limit $3`,
);

/** The fields that orders can be listed by. */
export type StudioOrderFilter = keyof typeof listBy;

const UNFILTERED = { buyerUserId: undefined, email: undefined, courseId: undefined, creatorId: undefined, from: '' };

/** An order and one of its seats, as one row. */
export type SeatWithOrder = StudioOrder & Seat;

/** Adds an order, still without seats. */
export async function insertStudioOrder(tx: RecordedTx, order: StudioOrder): Promise<void> {
  await tx.run(insertOrder, orderTable.rows([order], orderTable.fields));
}

/** Adds the new seats of an order whose codes are unused. */
export async function insertFreeSeats(
  tx: RecordedTx,
  studioOrderId: string,
  seats: readonly Pick<Seat, 'code' | 'seatNumber'>[],
): Promise<void> {
  const free = seats.map(({ code, seatNumber }) => ({ code, seatNumber, studioOrderId }));
  await tx.run(insertFree, seatTable.rows(free, FREE_SEAT));
}

/** Adds complete seats, redeemed or not; their codes must be unused. */
export async function insertWholeSeats(tx: RecordedTx, seats: readonly Seat[]): Promise<void> {
  await tx.run(insertSeats, seatTable.rows(seats, seatTable.fields));
}

/** Whether any seat has one of these codes. */
export async function isAnyCodeTaken(sql: Sql, codes: readonly string[]): Promise<boolean> {
  return (await sql.first(findAnyByCode, listOf(codes))) !== undefined;
}

/** An order's seats, seat 1 first. */
export function listSeats(sql: Sql, studioOrderId: string): Promise<Seat[]> {
  return sql.all<Seat>(listOfOrder, studioOrderId);
}

/** An order with its seats, seat 1 first, one row each; no rows when it is out of scope. */
export function findOrderWithSeats(sql: Sql, studioOrderId: string, scope: Scope): Promise<SeatWithOrder[]> {
  return sql.all<SeatWithOrder>(findWithSeats, studioOrderId, scope.creatorId);
}

/** The seat with this canonical code and its order, unlocked, if the order is in scope. */
export function findSeatInScope(sql: Sql, code: string, scope: Scope): Promise<SeatWithOrder | undefined> {
  return sql.first<SeatWithOrder>(findByCodeInScope, code, scope.creatorId);
}

/** The order with this identifier, if it is in scope. */
export function findStudioOrder(sql: Sql, studioOrderId: string, scope: Scope): Promise<StudioOrder | undefined> {
  return sql.first<StudioOrder>(findInScope, studioOrderId, scope.creatorId);
}

/**
 * Locks the order of a seat with this canonical code until the transaction ends. Read the order and the seat with a
 * separate statement afterwards, because a statement that waited for the lock would show the seat as it was before.
 */
export async function lockOrderOfCode(tx: Tx, code: string): Promise<void> {
  await tx.first(lockByCode, code);
}

/** Whether a user has redeemed a seat of a locked order. */
export async function holdsSeat(tx: Tx, studioOrderId: string, redeemerUserId: string): Promise<boolean> {
  return (await tx.first(findHeld, studioOrderId, redeemerUserId)) !== undefined;
}

/** Writes the redemption of a seat, and the number of redeemed seats of its locked order. */
export async function saveRedemption(tx: RecordedTx, seat: RedeemedSeat, redeemedCount: number): Promise<void> {
  await tx.run(updateSeat, seat.code, seat.redeemedBy, seat.redeemerUserId, seat.redeemedAt, seat.storefrontPurchaseId);
  await tx.run(updateCount, seat.studioOrderId, redeemedCount);
}

/** A page of orders that one field selects, newest first. */
export function listOrders(
  sql: Sql,
  filter: StudioOrderFilter,
  value: string,
  after: PageCursor,
  limit: number,
): Promise<StudioOrder[]> {
  return listBy[filter].all<StudioOrder>(sql, { ...UNFILTERED, ...after, limit, [filter]: value });
}

/** The filter of a search; undefined fields do not filter. */
export interface StudioOrderSearch {
  readonly buyerEmail: string | undefined;
  readonly courseId: string | undefined;
  readonly creatorId: string | undefined;
  /** 24-character timestamp of the oldest order. */
  readonly from?: string | undefined;
}

/** Orders of all creators whose ids are in a range, in the order of the ids; `to` is exclusive. */
export function searchOrderIds(sql: Sql, from: string, to: string, limit: number): Promise<readonly StudioOrder[]> {
  return sql.all<StudioOrder>(searchById, from, to, limit);
}

/** A page of orders that match a search, newest first. */
export function searchOrders(
  sql: Sql,
  { buyerEmail, courseId, creatorId, from = '' }: StudioOrderSearch,
  after: PageCursor,
  limit: number,
): Promise<StudioOrder[]> {
  const email = buyerEmail === undefined ? undefined : foldAscii(storedAddress(buyerEmail));
  const ofEmail = creatorId === undefined ? searchByEmail : searchByCreatorEmail;
  const ofCreator = courseId === undefined ? listBy.creatorId : searchByCreatorCourse;
  const ofAll = courseId === undefined ? listAll : listBy.courseId;
  const page = email !== undefined ? ofEmail : creatorId === undefined ? ofAll : ofCreator;
  const values = { email, courseId: courseId ?? null, creatorId, from };
  return page.all<StudioOrder>(sql, { ...UNFILTERED, ...after, limit, ...values });
}
