/**
 * Whole databases for tests that move them: filled with any values that the tables accept, and read by another method.
 */
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import type pg from 'pg';
import type { Database } from '../../src/storage/contract/database.ts';
import { onClient } from './own-connection.ts';
import { openSqliteFile } from './sqlite-file.ts';

type Cell = string | number | null;
type Rows = Readonly<Record<string, readonly (readonly Cell[])[]>>;

/** Tables of a SQLite file, without SQLite's own list of highest numbers (`sqlite_sequence`). */
const TABLES = "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' order by name";

/** A column as SQLite describes it; PostgreSQL has the same ones (test/architecture/schema-parity.test.ts). */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly isUnique: boolean;
}

/**
 * Text that a careless copy would change: other scripts, quotes, line ends, characters with a meaning in JSON and SQL.
 */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.constantFrom(
    '',
    ' ',
    'null',
    '0',
    '\\',
    '\\u0041',
    "'",
    '"',
    '{}',
    '[1,"2"]',
    '\r\n',
    '\t',
    '$1',
    '\u{1F600}',
    'Å',
    'Å',
  ),
  // Long, yet short enough for an index of PostgreSQL, which compresses it.
  fc.string({ minLength: 1, maxLength: 9 }).map((each) => each.repeat(300)),
);
/** No database stores a NUL, and the service refuses it; half of a UTF-16 pair has no form in UTF-8. */
const storable = text.map((each) => each.replaceAll('\0', '').toWellFormed());

const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

/**
 * Rows for each table of a migrated SQLite file except those of `left`, at least `least` and at most `most` each. They
 * are meaningless, because a copy need not understand them.
 */
export function anyRows(
  file: string,
  left: readonly string[],
  { least = 0, most }: { readonly least?: 0 | 1; readonly most: number },
): fc.Arbitrary<Rows> {
  const database = openSqliteFile(file, { readOnly: true });
  const tables = database
    .prepare(TABLES)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !left.includes(name));
  const columns = tables.map((table) => [table, columnsOf(database, table)] as const);
  database.close();
  return fc.record(
    Object.fromEntries(
      columns.map(([table, described]) => [
        table,
        fc
          .array(fc.tuple(...described.map(cell)), { minLength: least, maxLength: most })
          .map((rows) => distinct(described, rows)),
      ]),
    ),
  );
}

function columnsOf(database: DatabaseSync, table: string): Column[] {
  const unique = database
    .prepare('select distinct c.name from pragma_index_list(?) i join pragma_index_info(i.name) c where i."unique" = 1')
    .all(table)
    .map(({ name }) => name);
  return database
    .prepare('select name, type, "notnull" as needed, pk from pragma_table_xinfo(?)')
    .all(table)
    .map(({ name, type, needed, pk }) => ({
      name: String(name),
      type: String(type).toLowerCase(),
      isNeeded: needed === 1,
      // An integer that is the whole primary key has no index of its own.
      isUnique: unique.includes(name ?? '') || pk === 1,
    }));
}

function cell({ type, isNeeded, isUnique }: Column): fc.Arbitrary<Cell> {
  const some: fc.Arbitrary<Cell> = type === 'text' ? storable : integer;
  return isNeeded || isUnique ? some : fc.option(some, { nil: null });
}

/** The rows that differ from all others in each column that is part of a unique index. */
function distinct(columns: readonly Column[], rows: readonly (readonly Cell[])[]): (readonly Cell[])[] {
  const seen = columns.map(() => new Set<Cell>());
  return rows.filter((row) => {
    if (columns.some(({ isUnique }, index) => isUnique && seen[index]!.has(row[index]!))) return false;
    for (const [index, value] of row.entries()) seen[index]!.add(value);
    return true;
  });
}

/** Inserts rows into a database, each in the order of SQLite's columns. */
export async function putRows(database: Database, rows: Rows): Promise<void> {
  if (database.engine === 'sqlite') {
    const connection = openSqliteFile(database.file);
    connection.exec('begin');
    for (const [table, values] of Object.entries(rows)) {
      for (const row of values)
        connection
          .prepare(`insert into ${table} values (${row.map(() => '?').join(', ')})`)
          .run(...row.map((value) => (typeof value === 'number' ? BigInt(value) : value)));
    }
    connection.exec('commit');
    connection.close();
    return;
  }
  await onTexts(database.url, async (client) => {
    for (const [table, values] of Object.entries(rows))
      for (const row of values)
        await client.query(`insert into ${table} values (${row.map((_, index) => `$${index + 1}`).join(', ')})`, [
          ...row,
        ]);
  });
}

/** Every row of every table except those of `left`, as sorted JSON texts by table. */
export async function allRows(
  database: Database,
  left: readonly string[] = [],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const line = (row: Record<string, unknown>) => JSON.stringify(row, Object.keys(row).sort());
  const read: Record<string, readonly string[]> = {};
  if (database.engine === 'sqlite') {
    using connection = openSqliteFile(database.file);
    for (const { name } of connection.prepare(TABLES).all())
      if (!left.includes(String(name)))
        read[String(name)] = connection.prepare(`select * from ${name}`).all().map(line).sort();
    return read;
  }
  await onTexts(database.url, async (client) => {
    const { rows: tables } = await client.query(
      'select tablename from pg_tables where schemaname = current_schema() order by tablename collate "C"',
    );
    for (const { tablename } of tables)
      if (!left.includes(tablename))
        read[tablename] = (await client.query(`select * from ${tablename}`)).rows.map(line).sort();
  });
  return read;
}

/** Each value as text, except for whole numbers. */
function onTexts(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const getTypeParser = (type: number) => (value: string) => (type === 20 ? Number(value) : value);
  return onClient({ connectionString: url, types: { getTypeParser } }, work);
}
