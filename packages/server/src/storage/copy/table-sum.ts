/** Reads a whole table in primary key order, for its count and its checksum. */
import { createHash } from 'node:crypto';
import type { Storage } from '../contract/storage.ts';
import { PageSize } from './page-size.ts';
import type { Key, TableRows } from './rows-store.ts';

/** Count and checksum of a table, equal for tables with equal rows. */
export interface TableSum {
  readonly rows: number;
  /** SHA-256 over the rows in the order of their keys, each as a JSON list of its values on a line; hexadecimal. */
  readonly checksum: string;
}

/**
 * The count and the checksum of a table, the same on both engines for the same rows.
 *
 * @param onRows called after each page with its number of rows
 */
export async function sumTable(storage: Storage, table: TableRows, onRows: (rows: number) => void): Promise<TableSum> {
  const hash = createHash('sha256');
  const size = new PageSize();
  let rows = 0;
  for (let after: Key | null = null; ; ) {
    const limit = size.rows;
    const page = await storage.read((sql) => table.page(sql, after, limit));
    let characters = 0;
    for (const row of page) {
      const line = `${JSON.stringify(row)}\n`;
      characters += line.length;
      hash.update(line);
    }
    rows += page.length;
    onRows(page.length);
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return { rows, checksum: hash.digest('hex') };
    after = table.keyOf(last);
    size.learn(page.length, characters);
  }
}
