/** Replaces the address of a buyer or redeemer with a pseudonym in studio orders and seats. */
import { listOf, type Statement, statement, type Tx } from '../../storage/contract/storage.ts';

const listOrders = statement(
  'studio_order.list_of_buyer_email',
  `select o.studio_order_id as "studioOrderId", o.studio_order_id as "id" from studio_order o
   where lower(o.buyer_email) = $1 limit $2`,
);
const listOrdersBeyondAscii = statement(
  'studio_order.list_beyond_ascii',
  `select o.studio_order_id as "studioOrderId", o.studio_order_id as "id", o.buyer_email as "email" from studio_order o
   where octet_length(o.buyer_email) > length(o.buyer_email) and o.studio_order_id > $1
   order by o.studio_order_id limit $2`,
);
const forgetBuyer = statement(
  'studio_order.forget',
  (dialect) => `update studio_order set buyer_email = $2 where studio_order_id ${dialect.among('$1')}`,
);

const listSeats = statement(
  'seat.list_of_redeemer_email',
  `select s.studio_order_id as "studioOrderId", s.code as "id" from seat s
   where s.redeemed_by is not null and lower(s.redeemed_by) = $1 limit $2`,
);
const listSeatsBeyondAscii = statement(
  'seat.list_beyond_ascii',
  `select s.studio_order_id as "studioOrderId", s.code as "id", s.redeemed_by as "email" from seat s
   where octet_length(s.redeemed_by) > length(s.redeemed_by) and s.code > $1 order by s.code limit $2`,
);
const forgetRedeemer = statement(
  'seat.forget',
  (dialect) => `update seat set redeemed_by = $2 where code ${dialect.among('$1')}`,
);

/** An order, or a seat of it. */
interface OrderRow {
  readonly studioOrderId: string;
  /** Id of the order, or code of the seat. */
  readonly id: string;
}

/** A place of an address: the statements that find its rows and replace it. */
export interface OrderAddresses {
  readonly list: Statement;
  readonly listBeyondAscii: Statement;
  readonly write: Statement;
}

/** The buyer's address of an order. */
export const BUYERS: OrderAddresses = { list: listOrders, listBeyondAscii: listOrdersBeyondAscii, write: forgetBuyer };
/** The redeemer's address of a seat. */
export const REDEEMERS: OrderAddresses = {
  list: listSeats,
  listBeyondAscii: listSeatsBeyondAscii,
  write: forgetRedeemer,
};

/** The number of rewritten rows, and their orders, each once. */
export interface ForgottenOrders {
  readonly count: number;
  readonly studioOrderIds: readonly string[];
}

/**
 * Replaces an address, given without case, in rows where the databases find it without case: it is of ASCII letters.
 */
export async function forgetInOrders(
  tx: Tx,
  addresses: OrderAddresses,
  emailFolded: string,
  pseudonym: string,
  most: number,
): Promise<ForgottenOrders> {
  const rows = await tx.all<OrderRow>(addresses.list, emailFolded, most);
  return replaceInOrders(tx, addresses, rows, pseudonym);
}

/** Rows after one of them ('' is before all) whose addresses have letters beyond ASCII. */
export function listOrdersBeyondAsciiAfter(tx: Tx, { listBeyondAscii }: OrderAddresses, after: string, most: number) {
  return tx.all<OrderRow & { readonly email: string }>(listBeyondAscii, after, most);
}

/** Replaces the addresses of some rows with a pseudonym. */
export async function replaceInOrders(
  tx: Tx,
  { write }: OrderAddresses,
  rows: readonly OrderRow[],
  pseudonym: string,
): Promise<ForgottenOrders> {
  if (rows.length > 0) await tx.run(write, listOf(rows.map(({ id }) => id)), pseudonym);
  return { count: rows.length, studioOrderIds: [...new Set(rows.map(({ studioOrderId }) => studioOrderId))] };
}
