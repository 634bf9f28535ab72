/** Rows of one kind to insert into a database. */
import type { Storage, Tx } from '@latchkey/server/storage/contract/storage.ts';

const ROWS_PER_TRANSACTION = 1000;
/** Number of concurrent transactions: PostgreSQL answers each statement after a round trip. */
export const TRANSACTIONS_AT_ONCE = 4;

/** Rows, which are computed from their numbers when they are inserted. */
export interface Filling {
  readonly rows: number;
  /** Inserts the rows with the given numbers, from 0 to `rows`, exclusive. */
  insert(tx: Tx, numbers: readonly number[]): Promise<unknown>;
}

/** @param rowOf computes a row from its number */
export function filling<Row>(
  rows: number,
  rowOf: (number: number) => Row,
  insert: (tx: Tx, rows: readonly Row[]) => Promise<unknown>,
): Filling {
  return { rows, insert: (tx, numbers) => insert(tx, numbers.map(rowOf)) };
}

/** Inserts rows in several concurrent transactions. */
export async function fill(
  storage: Storage,
  { rows, insert }: Filling,
  onInserted: (rows: number) => void,
): Promise<void> {
  let next = 0;
  async function fillUntilDone(): Promise<void> {
    while (next < rows) {
      const from = next;
      next = Math.min(rows, from + ROWS_PER_TRANSACTION);
      const numbers = Array.from({ length: next - from }, (_, index) => from + index);
      await storage.transaction((tx) => insert(tx, numbers));
      onInserted(numbers.length);
    }
  }
  await Promise.all(Array.from({ length: TRANSACTIONS_AT_ONCE }, fillUntilDone));
}
