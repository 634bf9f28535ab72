/** Empties a table of a restored database. */
import type { Tx } from '../../storage/contract/storage.ts';

const ROWS_AT_ONCE = 500;

/** Deletes all rows, a bounded number at a time; returns their number. */
export async function deleteAll(tx: Tx, deleteSome: (tx: Tx, most: number) => Promise<number>): Promise<number> {
  let deleted = 0;
  let last = ROWS_AT_ONCE;
  while (last === ROWS_AT_ONCE) {
    last = await deleteSome(tx, ROWS_AT_ONCE);
    deleted += last;
  }
  return deleted;
}
