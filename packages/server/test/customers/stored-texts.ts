/** Everything that a service has stored, read on a separate connection: each row of each table as text. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/open.ts';

/** Rows as JSON without case, by table. */
async function textsOf(database: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  const textOf = (row: unknown) => JSON.stringify(row).toLowerCase();
  if (database.engine === 'sqlite') {
    const connection = new DatabaseSync(database.file, { readOnly: true });
    try {
      const tables = connection.prepare(`select name from sqlite_schema where type = 'table'`).all();
      return new Map(
        tables.map(({ name }) => [name as string, connection.prepare(`select * from ${name}`).all().map(textOf)]),
      );
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    const tables = await client.query(`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`);
    const texts = new Map<string, readonly string[]>();
    for (const { name } of tables.rows) texts.set(name, (await client.query(`select * from ${name}`)).rows.map(textOf));
    return texts;
  } finally {
    await client.end();
  }
}

/** Names of the tables that contain a text in any column of any row, ignoring case. */
export async function tablesWith(database: Database, text: string): Promise<string[]> {
  const searched = JSON.stringify(text).slice(1, -1).toLowerCase();
  const texts = await textsOf(database);
  return [...texts].flatMap(([table, rows]) => (rows.some((row) => row.includes(searched)) ? [table] : [])).sort();
}

/** The columns that contain one of the texts in any row, ignoring case, as `table.column`. */
export async function columnsWith(database: Database, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const searched = texts.map((text) => JSON.stringify(text).slice(1, -1).toLowerCase());
  const cells = [...(await textsOf(database))].flatMap(([table, rows]) =>
    rows.flatMap((row) => Object.entries(JSON.parse(row)).map(([column, value]) => [`${table}.${column}`, value])),
  );
  const holds = (value: unknown) => searched.some((text) => JSON.stringify(value).includes(text));
  return new Set(cells.flatMap(([column, value]) => (holds(value) ? [String(column)] : [])));
}
