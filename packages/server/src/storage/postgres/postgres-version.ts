/** Chooses SQL by the version of the server (docs/contributors/decisions/0060-lists-on-postgresql.md). */
import type pg from 'pg';
import type { Dialect } from '../contract/storage.ts';
import { earlierPostgresDialect, postgresDialect } from './postgres-dialect.ts';

const SERVER_VERSION = "select current_setting('server_version_num') as version";

/** PostgreSQL 17, as `server_version_num` has it: an index keeps its order with a second array. */
const LATER_VERSION = 170_000;

/** The SQL for a version. @param version as `server_version_num` has it */
export const dialectOf = (version: number): Dialect =>
  version >= LATER_VERSION ? postgresDialect : earlierPostgresDialect;

/**
 * Connects, and returns the SQL for the version of the server. All hosts of a URL have one version, because they share
 * a log.
 */
export async function statementsFor(pool: pg.Pool): Promise<Dialect> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ version: string }>(SERVER_VERSION);
    client.release();
    return dialectOf(Number(rows[0]?.version));
  } catch (error) {
    // The end of the pool waits for clients in use.
    client.release(true);
    throw error;
  }
}
