/** Both engines have the same tables, columns, keys and indexes, as read back from real databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { freshDatabase } from '../support/databases.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** A table as both engines can describe it. */
interface Table {
  /** `name type` in their order, with ` not null` where it applies. */
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  /** `unique (a, b) where ...`, the primary key not among them, sorted. */
  readonly indexes: readonly string[];
}

type Schema = Readonly<Record<string, Table>>;

/** Indexes that SQLite's events enter late: by product, with a second one for waiting events, and by request. */
const LATE = /^\((request_id, )?product_id, event_id\)/;

describe('the schema', () => {
  const databases: TestDatabase[] = [];
  let sqlite: Schema;
  let postgres: Schema;
  let client: pg.Client;

  before(async () => {
    const [one, other] = await Promise.all([freshDatabase('sqlite'), freshDatabase('postgres')]);
    databases.push(one, other);
    sqlite = readSqlite((one.database as { file: string }).file);
    client = new pg.Client((other.database as { url: string }).url);
    await client.connect();
    postgres = await readPostgres(client);
  });
  after(async () => {
    await client.end();
    await Promise.all(databases.map((each) => each.remove()));
  });

  it('has the same tables on both engines', () => {
    assert.ok('license' in sqlite && 'idempotent_reply' in sqlite);
    assert.deepEqual(Object.keys(sqlite), Object.keys(postgres));
  });

  it('has the same columns in the same order, with the same types, and null in the same places', () => {
    for (const [name, { columns }] of Object.entries(sqlite)) assert.deepEqual(columns, postgres[name]?.columns, name);
  });

  it('has the same primary keys', () => {
    for (const [name, { primaryKey }] of Object.entries(sqlite)) {
      assert.notEqual(primaryKey.length, 0, `${name} has none`);
      assert.deepEqual(primaryKey, postgres[name]?.primaryKey, name);
    }
  });

  it('has the same indexes, unique and partial in the same way', () => {
    const compared = (table: Table | undefined) => table?.indexes.filter((each) => !LATE.test(each));
    for (const [name, table] of Object.entries(sqlite))
      assert.deepEqual(compared(table), compared(postgres[name]), name);
    const late = ({ event }: Schema) => event?.indexes.filter((each) => LATE.test(each));
    const byProduct = '(product_id, event_id) where product_id is not null';
    const byRequest = '(request_id, product_id, event_id) where request_id is not null and product_id is not null';
    assert.deepEqual(late(postgres), [byProduct, byRequest]);
    assert.deepEqual(late(sqlite), [
      `${byProduct} and unindexed is not null`,
      `${byProduct} and unindexed is null`,
      `${byRequest} and unindexed is null`,
    ]);
  });

  it('compares and sorts text by its bytes on PostgreSQL, as SQLite does', async () => {
    const { rows } = await client.query(
      `select table_name || '.' || column_name as "column" from information_schema.columns
       where table_schema = current_schema and data_type = 'text' and collation_name is distinct from 'C'
         and table_name <> 'schema_migration'`,
    );
    assert.deepEqual(rows, []);
  });

  it('has no constraint on one engine that the other could lack', async () => {
    const { rows } = await client.query(
      `select conname, contype from pg_constraint
       where connamespace = current_schema::regnamespace and contype not in ('p', 'u', 'n')`,
    );
    assert.deepEqual(rows, [], 'a foreign key or a check: compare it here, too');
  });
});

/** The columns of a table, given as rows of name, type and whether null is allowed. */
function columnsFrom(rows: readonly { name: string; type: string; isNotNull: boolean; standard: unknown }[]): string[] {
  return rows.map(({ name, type, isNotNull, standard }) => {
    const given = standard === null ? '' : ` default ${standard}`;
    return `${name} ${type.toLowerCase()}${isNotNull ? ' not null' : ''}${given}`;
  });
}

function indexText(isUnique: boolean, columns: readonly string[], condition: string | null): string {
  const where = condition === null ? '' : ` where ${plainCondition(condition)}`;
  return `${isUnique ? 'unique ' : ''}(${columns.join(', ')})${where}`;
}

/** A condition without the parentheses, casts and spellings that PostgreSQL adds when it prints one. */
function plainCondition(condition: string): string {
  return condition
    .toLowerCase()
    .replace(/::\w+(\[\])?/g, '')
    .replace(/= any\s*\(+array\[(.*?)\]\)+/g, 'in ($1)')
    .replace(/ ~~ /g, ' like ')
    .replace(/[()]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The columns and expressions in a list; an expression may hold commas of its own. */
function membersOf(list: string): readonly string[] {
  const members = [''];
  let depth = 0;
  for (const each of list) {
    if (each === '(') depth += 1;
    if (each === ')') depth -= 1;
    if (each === ',' && depth === 0) members.push('');
    else members[members.length - 1] += each;
  }
  return members;
}

/** A column or an expression of an index, without the differences in notation between the engines. */
function expressionText(written: string): string {
  return written.replace(/[()]|::text/g, '').trim();
}

function readSqlite(file: string): Schema {
  const database = openSqliteFile(file);
  // biome-ignore lint/suspicious/noExplicitAny: rows of pragmas, as SQLite documents them
  const all = (text: string, ...values: string[]) => database.prepare(text).all(...values) as Record<string, any>[];
  const tables = all(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`);
  const schema = tables.map(({ name: table }): [string, Table] => {
    const columns = all('select * from pragma_table_xinfo(?)', table);
    const indexes = all('select * from pragma_index_list(?)', table).map(({ name, unique, origin }) => {
      const [made] = all('select sql from sqlite_schema where name = ?', name);
      // Expressions have no name.
      const [, written = ''] = /\son\s+\w+\s*\((.*?)\)\s*(?:where\s.*)?$/is.exec(made?.sql ?? '') ?? [];
      const expressions = membersOf(written).map(expressionText);
      const members = all('select name from pragma_index_info(?) order by seqno', name).map(
        (each, index) => each.name ?? expressions[index],
      );
      const [, condition] = /\swhere\s(.*)$/is.exec(made?.sql ?? '') ?? [];
      return { origin, text: indexText(unique === 1, members, condition ?? null) };
    });
    const primaryKey = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return [
      table,
      {
        columns: columnsFrom(
          columns.map(({ name, type, notnull, dflt_value }) => ({
            name,
            type,
            isNotNull: notnull === 1,
            standard: dflt_value,
          })),
        ),
        primaryKey: primaryKey.map(({ name }) => name),
        indexes: indexes.flatMap(({ origin, text }) => (origin === 'pk' ? [] : [text])).sort(),
      },
    ];
  });
  database.close();
  return Object.fromEntries(schema);
}

async function readPostgres(client: pg.Client): Promise<Schema> {
  const { rows: columns } = await client.query(
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
     where table_schema = current_schema order by table_name collate "C", ordinal_position`,
  );
  const { rows: indexes } = await client.query(
    `select c.relname as table_name, i.indisprimary, i.indisunique, pg_get_expr(i.indpred, i.indrelid) as condition,
       array(select pg_get_indexdef(i.indexrelid, place, true) from generate_series(1, i.indnkeyatts) place
             order by place) as members
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = current_schema::regnamespace`,
  );
  const schema: Record<string, Table> = {};
  for (const table of new Set<string>(columns.map(({ table_name }) => table_name))) {
    const own = indexes.filter(({ table_name }) => table_name === table);
    schema[table] = {
      columns: columnsFrom(
        columns
          .filter(({ table_name }) => table_name === table)
          .map(({ column_name, data_type, is_nullable, column_default }) => ({
            name: column_name,
            // The one integer type of SQLite is as wide as PostgreSQL's bigint.
            type: data_type === 'bigint' ? 'integer' : data_type,
            isNotNull: is_nullable === 'NO',
            // PostgreSQL adds the type to a text literal.
            standard: column_default?.replace(/::text$/, '') ?? null,
          })),
      ),
      primaryKey: own.find(({ indisprimary }) => indisprimary)?.members ?? [],
      indexes: own
        .filter(({ indisprimary }) => !indisprimary)
        .map(({ indisunique, members, condition }) => indexText(indisunique, members.map(expressionText), condition))
        .sort(),
    };
  }
  return schema;
}
