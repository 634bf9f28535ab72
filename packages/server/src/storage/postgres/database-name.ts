/** Names of databases in messages for operators. */
import pg from 'pg';
import type { Database } from '../contract/database.ts';
import { PostgresUrlError, splitPostgresUrl } from './postgres-url.ts';

/**
 * `SQLite, /srv/data/latchkey.db` or `PostgreSQL, database latchkey on db.example.com:5432 as latchkey`, with all hosts
 * if there are several. Never shows a password or a parameter of the URL. The driver resolves the URL and the
 * environment (`PGHOST`, `PGUSER`).
 *
 * @throws when the driver cannot parse the URL
 */
export function databaseName(database: Database): string {
  const location = databaseLocation(database);
  if (database.engine === 'sqlite') return `SQLite, ${location}`;
  const [{ user } = { user: '' }] = unconnectedClients(database.url);
  return `PostgreSQL, database ${location} as ${user}`;
}

/**
 * The location of a database without its user: `/srv/data/latchkey.db` or `latchkey on db.example.com:5432`.
 *
 * @throws as {@link databaseName} does
 */
export function databaseLocation(database: Database): string {
  if (database.engine === 'sqlite') return database.file;
  const clients = unconnectedClients(database.url);
  const { database: name, user } = clients[0]!;
  const hosts = clients.map(({ host, port }) => `${host}:${port}`).join(', ');
  return `${name ?? user} on ${hosts}`;
}

/**
 * One client per host, which exposes the URL as the driver parsed it. Creating them reads the files that the URL names,
 * such as `sslrootcert`.
 *
 * @throws when the driver cannot parse the URL; of the URL, the message shows at most the path of such a file
 */
export function unconnectedClients(url: string): readonly pg.Client[] {
  try {
    return splitPostgresUrl(url).map((each) => new pg.Client({ connectionString: each }));
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      error instanceof PostgresUrlError ? `DATABASE_URL ${message}` : `DATABASE_URL cannot be used: ${message}`,
      { cause: error },
    );
  }
}
