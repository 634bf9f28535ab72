/**
 * SQL that tests run on their own connection, beside the service: to make rows of an older version, or to inspect
 * stored ones.
 */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/open.ts';

/** Runs a script of any number of statements. */
export async function execute(database: Database, script: string): Promise<void> {
  await onOwnConnection<unknown>(
    database,
    (file) => file.exec(script),
    (client) => client.query(script),
  );
}

/** The first row of a query; null without one. */
export async function rowOf(database: Database, query: string): Promise<Readonly<Record<string, unknown>> | null> {
  return onOwnConnection(
    database,
    (file) => {
      const row = file.prepare(query).get();
      return row === undefined ? null : { ...row };
    },
    async (client) => (await client.query(query)).rows[0] ?? null,
  );
}

async function onOwnConnection<Result>(
  database: Database,
  onSqlite: (file: DatabaseSync) => Result,
  onPostgres: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  if (database.engine === 'sqlite') {
    // The service may be committing.
    const file = new DatabaseSync(database.file, { timeout: 10_000 });
    try {
      return onSqlite(file);
    } finally {
      file.close();
    }
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await onPostgres(client);
  } finally {
    await client.end();
  }
}
