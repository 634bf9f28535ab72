/** Moves the rows of a license to the key that replaces its own; each slice describes its tables. */
import { statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

/** Moves rows from one key to another, in the transaction that locked the license of the first. */
export type MoveRows = (tx: Tx, from: string, to: string) => Promise<void>;

/** The move of the rows of these tables that follow the license. The new key must have no rows yet. */
export function movingOf(tables: readonly StoredTable[]): MoveRows {
  const moves = tables.flatMap(({ name, replacedKey }) => {
    if (replacedKey === undefined || 'stays' in replacedKey) return [];
    const condition = replacedKey.where === undefined ? '' : ` and ${replacedKey.where}`;
    return replacedKey.moves.map((column) =>
      statement(`${name}.follow_${column}`, `update ${name} set ${column} = $2 where ${column} = $1${condition}`),
    );
  });
  return async (tx, from, to) => {
    await Promise.all(moves.map((move) => tx.run(move, from, to)));
  };
}
