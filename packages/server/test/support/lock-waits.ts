/**
 * Work on PostgreSQL beside open transactions, whose locks it waits for. SQLite runs one transaction after the other.
 */
import type { Database } from '../../src/storage/contract/database.ts';
import type { Storage, Tx } from '../../src/storage/contract/storage.ts';
import { rowOf } from './own-connection.ts';

const WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/**
 * Resolves when a session of the database waits for a lock, or when the work has ended.
 *
 * @returns true if a session waits
 */
export async function waitsForLock(database: Database, work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  void work.then(end, end);
  while (!hasEnded) if ((await rowOf(database, WAITING)) !== null) return true;
  return false;
}

/** Runs work beside a change whose transaction commits as soon as the work waits for a lock, or has ended. */
export async function besideOpenChange<Result>(
  database: Database,
  storage: Storage,
  change: (tx: Tx) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const [changed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const changing = storage.transaction(async (tx) => {
    await change(tx);
    changed.resolve();
    await mayCommit.promise;
  });
  await Promise.race([changed.promise, changing]);
  const working = work();
  await waitsForLock(database, working);
  mayCommit.resolve();
  await changing;
  return working;
}
