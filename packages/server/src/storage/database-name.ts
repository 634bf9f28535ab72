/** What a database is called when a person is told of it. */
import pg from 'pg';
import type { Database } from './open.ts';

/**
 * `SQLite, /srv/data/latchkey.db` or `PostgreSQL, database latchkey on db.example.com:5432 as latchkey`. Never a password
 * or a parameter of the URL: the driver says what it makes of the URL and of the environment (`PGHOST`, `PGUSER`).
 *
 * @throws when the driver can make nothing of the URL
 */
export function databaseName(database: Database): string {
  if (database.engine === 'sqlite') return `SQLite, ${database.file}`;
  const { host, port, database: name, user } = unconnectedClient(database.url);
  return `PostgreSQL, database ${name ?? user} on ${host}:${port} as ${user}`;
}

/**
 * A client that tells what the driver makes of a URL. Making it reads the files that the URL names, such as `sslrootcert`.
 *
 * @throws when the driver can make nothing of the URL; the message shows no more of it than the path of such a file
 */
export function unconnectedClient(url: string): pg.Client {
  try {
    return new pg.Client({ connectionString: url });
  } catch (error) {
    throw new Error(`DATABASE_URL cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
