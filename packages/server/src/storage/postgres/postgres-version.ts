/** Chooses SQL by the version of the server (docs/decisions/0060-lists-on-postgresql.md). */
import type pg from 'pg';
import type { EngineDifferences } from '../contract/engine-differences.ts';
import type { Dialect } from '../contract/storage.ts';

const SERVER_VERSION = "select current_setting('server_version_num') as version";

/**
 * Connects, and returns the SQL for the version of the server. All hosts of a URL have one version, because they share
 * a log.
 */
export async function statementsFor(
  pool: pg.Pool,
  { statements, laterStatements }: EngineDifferences,
): Promise<Dialect> {
  const client = await pool.connect();
  try {
    const isLater = laterStatements !== undefined && (await versionOf(client)) >= laterStatements.since;
    client.release();
    return isLater ? laterStatements.dialect : statements;
  } catch (error) {
    // The end of the pool waits for clients in use.
    client.release(true);
    throw error;
  }
}

/** The version as `server_version_num` has it. */
async function versionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: string }>(SERVER_VERSION);
  return Number(rows[0]?.version);
}
