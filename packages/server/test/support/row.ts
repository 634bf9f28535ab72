/** Looks into a database by another way than the service's. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Database } from '../../src/storage/open.ts';

/** The first row of a query on a database, by another way than the service's; null where there is none. */
export async function rowOf(database: Database, query: string): Promise<Readonly<Record<string, unknown>> | null> {
  if (database.engine === 'sqlite') {
    const connection = new DatabaseSync(database.file);
    const row = connection.prepare(query).get();
    connection.close();
    return row === undefined ? null : { ...row };
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return rows[0] ?? null;
}
