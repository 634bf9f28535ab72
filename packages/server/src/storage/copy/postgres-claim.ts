/** Claims of PostgreSQL databases, each held by a connection of its own. */
import type pg from 'pg';
import { type EngineDifferences, postgresDifferences } from '../engine-differences.ts';
import { connectionOptions, LOCK_TIMEOUT_MS } from '../postgres-connection.ts';
import { connectToPostgres } from '../postgres-hosts.ts';
import type { Claim, SourceClaim } from './claim.ts';

/** Connections that servers and commands have open to this database, beside this one. */
const CONNECTIONS =
  "select count(*) as connections from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'latchkey'";

/**
 * Claims a database that is read. No server starts on it: a start waits for the lock of the migrations. Nothing is written
 * to it either: the tables are locked against writes (`share`), so that a server that was overlooked is refused its writes
 * instead of losing them.
 *
 * @param tables those that are copied
 * @throws when servers are connected or somebody is writing
 */
export async function claimPostgresSource(url: string, tables: readonly string[]): Promise<SourceClaim> {
  return claim(url, 'source', async (client) => {
    await client.query('begin');
    try {
      await client.query(`lock table ${tables.join(', ')} in share mode`);
    } catch (error) {
      throw new Error(`The source cannot be claimed: ${(error as Error).message}. Stop whatever writes to it.`, {
        cause: error,
      });
    }
  });
}

/** Claims a database that is filled: no server starts on it. @throws when one is connected */
export async function claimPostgresTarget(url: string): Promise<Claim> {
  return claim(url, 'target', async () => {});
}

async function claim(url: string, which: string, hold: (client: pg.Client) => Promise<void>): Promise<SourceClaim> {
  const differences: EngineDifferences = postgresDifferences;
  const client = await connectToPostgres(url, differences, connectionOptions(differences, 0, LOCK_TIMEOUT_MS));
  let isLost = false;
  for (const event of ['error', 'end'] as const)
    client.on(event, () => {
      isLost = true;
    });
  try {
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('set idle_session_timeout = 0').catch(() => {});
    await holdOff(client, which, differences);
    await hold(client);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    check() {
      if (isLost) throw new Error(`The connection that held the ${which} was lost. Run the command again: it goes on.`);
    },
    count: async (table) => (await client.query(`select count(*) as rows from ${table}`)).rows[0].rows,
    release: () => client.end(),
  };
}

/** Sees that no server is at work, and that none starts. */
async function holdOff(client: pg.Client, which: string, { startLock }: EngineDifferences): Promise<void> {
  if (startLock !== null && (await client.query(startLock)).rows[0].held !== 1)
    throw new Error(`A server is starting on the ${which}, or another copy is under way. Stop it first.`);
  // Asked once the lock is held: a server that is not seen now cannot come any more.
  const { connections } = (await client.query(CONNECTIONS)).rows[0];
  if (connections > 0)
    throw new Error(
      `The ${which} is in use: servers or commands of Latchkey have ${connections} connections to it. Stop them first.`,
    );
}
