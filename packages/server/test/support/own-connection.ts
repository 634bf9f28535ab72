/**
 * SQL that tests run on their own connection, beside the service: to make rows of an older version, or to inspect
 * stored ones.
 */
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/contract/database.ts';
import { openSqliteFile } from './sqlite-file.ts';

type Row = Readonly<Record<string, unknown>>;

/** Runs a script of any number of statements. */
export async function execute(database: Database, script: string): Promise<void> {
  await onOwnConnection<unknown>(
    database,
    (file) => file.exec(script),
    (client) => client.query(script),
  );
}

/** The first row of a query; null without one. */
export async function rowOf(database: Database, query: string): Promise<Row | null> {
  return onOwnConnection(
    database,
    (file) => {
      const row = file.prepare(query).get();
      return row === undefined ? null : { ...row };
    },
    async (client) => (await client.query(query)).rows[0] ?? null,
  );
}

/** All rows of a query. A SQLite file stays as a killed service left it, for the next start to repair. */
export async function rowsOf<Found = Row>(database: Database, query: string): Promise<readonly Found[]> {
  const found = await onOwnConnection<readonly Row[]>(
    database,
    (file) => file.prepare(query).all(),
    async (client) => (await client.query(query)).rows,
    { readOnly: true },
  );
  return found.map((row) => ({ ...row }) as Found);
}

async function onOwnConnection<Result>(
  database: Database,
  onSqlite: (file: DatabaseSync) => Result,
  onPostgres: (client: pg.Client) => Promise<Result>,
  options: DatabaseSyncOptions = {},
): Promise<Result> {
  if (database.engine === 'postgres') return onClient(database.url, onPostgres);
  // The service may be committing.
  using file = openSqliteFile(database.file, options);
  return onSqlite(file);
}

/** Runs work on a connection to a PostgreSQL, which may break. */
export async function onClient<Result>(
  config: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
