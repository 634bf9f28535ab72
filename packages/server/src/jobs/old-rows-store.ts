/** SQL that deletes the rows of a table that are older than it keeps them. */
import { statement, type Tx } from '../storage/storage.ts';
import { countDue, dueRows, untouched } from './due-store.ts';

/** The rows of a table that its tidying deletes. */
export interface OldRows {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The column with the moment that decides their age, which an index leads to. */
  readonly by: string;
  /** A further condition on `d`, the row. */
  readonly where?: string;
}

/** Deletes at most as many rows whose moment is not after `before`, the oldest first; returns their number. */
export type Deletion = (tx: Tx, before: string, most: number) => Promise<number>;

/** Declares the deletion of old rows. @param name of its statement */
export function deletionOf(name: string, { table, key, by, where }: OldRows): Deletion {
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
