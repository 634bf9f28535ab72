/**
 * Tidying: what time has made useless is removed, and lapsed licenses get the mark that lists find them by. Nothing
 * here decides anything; a service whose tidying never ran answers the same, only lists get slower.
 */
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../clock.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { deleteOldIdempotentReplies, deleteOldRedemptionAttempts, leaseJob, markLapsedLicenses } from './store.ts';

const INTERVAL_MS = MINUTE_MS;
/** Rows per transaction, so that a job never holds up the requests beside it. */
const ROWS_AT_ONCE = 200;
/** Transactions per job and round; what is left waits for the next round. */
const MOST_ROUNDS = 100;

interface Job {
  readonly name: string;
  /** Does at most `most` rows of work on what is older than the job's age; answers how many it did. */
  readonly step: (tx: Tx, before: string, most: number) => Promise<number>;
  readonly ageMs: number;
}

const jobs: readonly Job[] = [
  // Some minutes late, so that nodes whose clocks differ a little agree on every license that bears the mark.
  { name: 'mark lapsed licenses', step: markLapsedLicenses, ageMs: 5 * MINUTE_MS },
  { name: 'delete old idempotent replies', step: deleteOldIdempotentReplies, ageMs: DAY_MS },
  { name: 'delete old redemption attempts', step: deleteOldRedemptionAttempts, ageMs: HOUR_MS },
];

/** Tidies once: every job that no other node is at. Answers how many rows were touched. */
export async function tidy(storage: Storage, now: number): Promise<number> {
  let touched = 0;
  for (const { name, step, ageMs } of jobs) {
    const lease = { from: toTimestamp(now), until: toTimestamp(now + INTERVAL_MS - 1) };
    if (!(await storage.transaction((tx) => leaseJob(tx, name, lease.from, lease.until)))) continue;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const done = await storage.transaction((tx) => step(tx, toTimestamp(now - ageMs), ROWS_AT_ONCE));
      touched += done;
      if (done < ROWS_AT_ONCE) break;
    }
  }
  return touched;
}

/** Tidies every minute until stopped. A round that fails is reported and the next one tries again. */
export function startTidying(storage: Storage, clock: Clock, onFailure: (error: unknown) => void): () => Promise<void> {
  let round: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    round = round.then(() => tidy(storage, clock())).catch(onFailure);
  }, INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}
