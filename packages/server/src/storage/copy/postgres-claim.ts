/** Claims of PostgreSQL databases, each held by its own connection. */
import type pg from 'pg';
import { connectionOptions, LOCK_TIMEOUT_MS } from '../postgres/postgres-connection.ts';
import { postgresDifferences } from '../postgres/postgres-differences.ts';
import { connectToPostgres } from '../postgres/postgres-hosts.ts';
import type { Claim, SourceClaim } from './claim.ts';

/** Counts the other connections of servers and commands to this database. */
const CONNECTIONS =
  "select count(*) as connections from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'latchkey'";

/**
 * Claims the source. No server can start on it, because a start waits for the migration lock. The tables
 * are locked against writes (`share`), so that an overlooked server gets errors instead of losing its writes.
 *
 * @param tables the copied tables
 * @throws when servers are connected or another client is writing
 */
export async function claimPostgresSource(url: string, tables: readonly string[]): Promise<SourceClaim> {
  return claim(url, 'source', async (client) => {
    await client.query('begin');
    try {
      await client.query(`lock table ${tables.join(', ')} in share mode`);
    } catch (error) {
      throw new Error(
        `The source cannot be claimed: ${(error as Error).message}. Stop all programs that write to it.`,
        {
          cause: error,
        },
      );
    }
  });
}

/** Claims the target: no server can start on it. @throws when one is connected */
export async function claimPostgresTarget(url: string): Promise<Claim> {
  return claim(url, 'target', async () => {});
}

async function claim(url: string, which: string, hold: (client: pg.Client) => Promise<void>): Promise<SourceClaim> {
  const client = await connectToPostgres(url, connectionOptions(0, LOCK_TIMEOUT_MS));
  let isLost = false;
  for (const event of ['error', 'end'] as const)
    client.on(event, () => {
      isLost = true;
    });
  try {
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('set idle_session_timeout = 0').catch(() => {});
    await holdOff(client, which);
    await hold(client);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    check() {
      if (isLost) throw new Error(`The connection that held the ${which} was lost. Run the command again to resume.`);
    },
    count: async (table) => (await client.query(`select count(*) as rows from ${table}`)).rows[0].rows,
    release: () => client.end(),
  };
}

/** Ensures that no server is running, and that none can start. */
async function holdOff(client: pg.Client, which: string): Promise<void> {
  if ((await client.query(postgresDifferences.startLock)).rows[0].held !== 1)
    throw new Error(`A server is starting on the ${which}, or another copy is running. Stop it first.`);
  // Counted after the lock is held: no further server can connect.
  const { connections } = (await client.query(CONNECTIONS)).rows[0];
  if (connections > 0)
    throw new Error(
      `The ${which} is in use. Connections of servers or commands of Latchkey to it: ${connections}. Stop them first.`,
    );
}
