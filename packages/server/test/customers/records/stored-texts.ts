/** Everything that a service has stored, read on a separate connection. */
import type { Database } from '../../../src/storage/contract/database.ts';
import { allRows } from '../../support/all-rows.ts';

/** Rows as JSON without case, by table. */
async function textsOf(database: Database): Promise<readonly (readonly [table: string, rows: readonly string[]])[]> {
  const tables = Object.entries(await allRows(database));
  return tables.map(([table, rows]) => [table, rows.map((row) => row.toLowerCase())]);
}

/** Names of the tables that contain a text in any column of any row, ignoring case. */
export async function tablesWith(database: Database, text: string): Promise<string[]> {
  const searched = JSON.stringify(text).slice(1, -1).toLowerCase();
  const texts = await textsOf(database);
  return texts.flatMap(([table, rows]) => (rows.some((row) => row.includes(searched)) ? [table] : [])).sort();
}

/** The columns that contain one of the texts in any row, ignoring case, as `table.column`. */
export async function columnsWith(database: Database, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const searched = texts.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase());
  const cells = (await textsOf(database)).flatMap(([table, rows]) =>
    rows.flatMap((row) => Object.entries(JSON.parse(row)).map(([column, value]) => [`${table}.${column}`, value])),
  );
  const holds = (value: unknown) => searched.some((text) => JSON.stringify(value).includes(text));
  return new Set(cells.flatMap(([column, value]) => (holds(value) ? [String(column)] : [])));
}
