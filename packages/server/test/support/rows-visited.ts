/**
 * Counts the rows that statements visit: the rows that an index leads to, whether or not they are in the result. Unlike
 * time, this measures the work of a statement in the same way on any machine.
 */
import type { SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/contract/database.ts';
import type { Sql, Statement, Value } from '../../src/storage/contract/storage.ts';
import { SESSION_OPTIONS } from '../../src/storage/postgres/postgres-connection.ts';
import { postgresDialect } from '../../src/storage/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { openSqliteFile } from './sqlite-file.ts';

/** Work of statements. */
export interface Work {
  readonly rows: number;
  /** On PostgreSQL, blocks of tables and indexes that were read: index entries that it skips are no rows. */
  readonly blocks: number;
}

/** Runs reads and counts. */
export interface CountingSql {
  readonly sql: Sql;
  /** The work done since the last call. */
  done(): Work;
  close(): Promise<void>;
}

/** A connection that counts. It does not count tables made later. */
export function countRowsVisited(database: Database): Promise<CountingSql> {
  return database.engine === 'sqlite' ? countOnSqlite(database.file) : countOnPostgres(database.url);
}

type All = (statement: Statement, values: readonly Value[]) => Promise<Record<string, Value>[]>;

function reading(all: All): Sql {
  return {
    all: async <Row>(statement: Statement, ...values: Value[]) => (await all(statement, values)) as Row[],
    first: async <Row>(statement: Statement, ...values: Value[]) =>
      (await all(statement, values))[0] as Row | undefined,
  };
}

/**
 * Each table is replaced by a view of its name that calls a function for every row, which SQLite folds into the query.
 */
async function countOnSqlite(file: string): Promise<CountingSql> {
  const database = openSqliteFile(file);
  let visited = 0;
  database.function('is_counted', { varargs: false }, (_key: unknown) => {
    visited += 1;
    return 1;
  });
  const tables = database.prepare(
    `select t.name as name, c.name as key from sqlite_schema t join pragma_table_info(t.name) c on c.pk = 1
     where t.type = 'table' and t.name not like 'sqlite_%'`,
  );
  for (const { name, key } of tables.all())
    database.exec(`create temp view ${name} as select * from main.${name} where is_counted(${key})`);
  return {
    sql: reading(async (statement, values) => {
      const bound = values.map((value): SQLInputValue => (typeof value === 'number' ? BigInt(value) : value));
      const prepared = database.prepare(statement.text(sqliteDialect).replace(/\$(\d+)/g, '?$1'));
      return prepared.all(...bound) as Record<string, Value>[];
    }),
    done() {
      const rows = visited;
      visited = 0;
      return { rows, blocks: 0 };
    },
    close: async () => database.close(),
  };
}

/** Each statement runs twice: once for its rows, once for PostgreSQL's own account of the visited rows. */
async function countOnPostgres(url: string): Promise<CountingSql> {
  const client = new pg.Client({ connectionString: url, options: SESSION_OPTIONS });
  await client.connect();
  let [rows, blocks] = [0, 0];
  const prepared = new Map<Statement, string>();
  return {
    sql: reading(async (statement, values) => {
      let name = prepared.get(statement);
      if (name === undefined) {
        name = `counted_${prepared.size}`;
        prepared.set(statement, name);
        await client.query(`prepare ${name} as ${statement.text(postgresDialect)}`);
      }
      const literals = values.map((value) => (typeof value === 'string' ? client.escapeLiteral(value) : String(value)));
      const call = `execute ${name}${values.length === 0 ? '' : `(${literals.join(', ')})`}`;
      const explained = await client.query(`explain (analyze, buffers, format json) ${call}`);
      const plan: PlanNode = explained.rows[0]['QUERY PLAN'][0].Plan;
      rows += rowsVisited(plan);
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return (await client.query(call)).rows;
    }),
    done() {
      const work = { rows, blocks };
      [rows, blocks] = [0, 0];
      return work;
    },
    close: () => client.end(),
  };
}

/** A node of PostgreSQL's account; the numbers of rows are averages over its loops. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

function rowsVisited(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + rowsVisited(each), 0);
  if (node['Relation Name'] === undefined) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}
