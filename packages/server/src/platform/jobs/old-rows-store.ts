/** SQL that deletes the rows of a table that are older than it keeps them. */
import { statement, type Tx } from '../../storage/contract/storage.ts';
import type { KeptRows } from '../../storage/contract/table.ts';
import { countDue, dueRows, untouched } from './due-store.ts';

/** Deletes at most as many rows whose moment is not after `before`, the oldest first; returns their number. */
export type Deletion = (tx: Tx, before: string, most: number) => Promise<number>;

/** Declares the deletion of the old rows of a table. */
export function deletionOf(table: string, { key, by, where }: KeptRows): Deletion {
  const name = `${table}.delete_old`;
  const isOld = (moment: string) => `${where === undefined ? '' : `${where} and `}d.${by} <= ${moment}`;
  if (key[0] === 'license_key') {
    const rows = dueRows(name, { table, key, isDue: isOld, order: `d.${by}`, write: `delete from ${table}` });
    return (tx, before, most) => countDue(tx, rows, before, most);
  }
  const keys = key.length === 1 ? String(key[0]) : `(${key.join(', ')})`;
  const deletion = statement(
    name,
    (dialect) => `delete from ${table} where ${keys} in
     (select ${key.map((column) => `d.${column}`).join(', ')} from ${table} d
      where ${isOld('$1')} order by d.${by} limit $2 ${untouched(dialect)})`,
  );
  return (tx, before, most) => tx.run(deletion, before, most);
}
