/** Puts a pseudonym in the place of an address of whoever bought studio orders or redeemed seats. */
import { listOf, type Statement, statement, type Tx } from '../storage/storage.ts';

const listOrders = statement(
  'studio_order.list_of_buyer_email',
  (dialect) => `select o.studio_order_id as "studioOrderId", o.studio_order_id as "id" from studio_order o
    where lower(o.buyer_email) ${dialect.among('$1')} limit $2`,
);
const forgetBuyer = statement(
  'studio_order.forget',
  (dialect) => `update studio_order set buyer_email = $2 where studio_order_id ${dialect.among('$1')}`,
);

const listSeats = statement(
  'seat.list_of_redeemer_email',
  (dialect) => `select s.studio_order_id as "studioOrderId", s.code as "id" from seat s
    where s.redeemed_by is not null and lower(s.redeemed_by) ${dialect.among('$1')} limit $2`,
);
const forgetRedeemer = statement(
  'seat.forget',
  (dialect) => `update seat set redeemed_by = $2 where code ${dialect.among('$1')}`,
);

/** What was forgotten: in how many rows, and of which orders, each once. */
export interface ForgottenOrders {
  readonly count: number;
  readonly studioOrderIds: readonly string[];
}

/** Of the buyer. @param spellings how the databases may write the address in lower case */
export function forgetBuyers(tx: Tx, spellings: readonly string[], pseudonym: string, most: number) {
  return forget(tx, { list: listOrders, write: forgetBuyer }, spellings, pseudonym, most);
}

/** Of who redeemed seats, likewise. */
export function forgetRedeemers(tx: Tx, spellings: readonly string[], pseudonym: string, most: number) {
  return forget(tx, { list: listSeats, write: forgetRedeemer }, spellings, pseudonym, most);
}

async function forget(
  tx: Tx,
  { list, write }: { readonly list: Statement; readonly write: Statement },
  spellings: readonly string[],
  pseudonym: string,
  most: number,
): Promise<ForgottenOrders> {
  type Row = { readonly studioOrderId: string; readonly id: string };
  const rows = await tx.all<Row>(list, listOf(spellings), most);
  if (rows.length > 0) await tx.run(write, listOf(rows.map(({ id }) => id)), pseudonym);
  return { count: rows.length, studioOrderIds: [...new Set(rows.map(({ studioOrderId }) => studioOrderId))] };
}
