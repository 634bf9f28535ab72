/**
 * Tidying: what time has made useless is removed, lapsed licenses get the mark that lists find them by, and new machines
 * enter the indexes that searches find them by. Nothing here decides anything; a service whose tidying never ran answers the same, only lists get slower. Should a clock have
 * been ahead, lists by status are right again with the first tidying after it was put right.
 *
 * A job goes on until nothing is left to do, so that it keeps up with whatever was written, in steps with a pause after
 * each, so that requests hardly wait for it. Every step renews the job's lease in its own transaction: a node that was
 * held up and lost the job to another one does nothing more.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../clock.ts';
import { KEPT_MS } from '../retention.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { retentionStep } from './event-retention.ts';
import {
  addProductsOfRefusals,
  deleteFutureKeptRefusals,
  deleteOldConsoleSessions,
  deleteOldDaysOfStatistics,
  deleteOldHoursOfStatistics,
  deleteOldIdempotentReplies,
  deleteOldKeptRefusals,
  deleteOldLicenseFiles,
  deleteOldRedemptionAttempts,
  deleteOldSignInCodes,
  deleteOldTrialRates,
  indexNewMachines,
  leaseJob,
  markLapsedLicenses,
  markUnlapsedLicenses,
  moveJobLease,
  uncountOldLicenseFiles,
} from './store.ts';

const INTERVAL_MS = MINUTE_MS;
/** A lease ends just before the next round begins. */
const LEASE_MS = INTERVAL_MS - 1;
/** Rows per step: a few milliseconds for the database. */
const ROWS_AT_ONCE = 200;
/** After each step; with steps of 200 rows it leaves room for several 100,000 rows a minute. */
const PAUSE_MS = 20;

/** Something to tidy. */
export interface Job {
  readonly name: string;
  /** Does at most `most` rows of work on what is older than the job's age; answers how many it did. */
  readonly step: (tx: Tx, before: string, most: number) => Promise<number>;
  /** Less than zero where the job looks for what is ahead of the clock. */
  readonly ageMs: number;
}

const jobs: readonly Job[] = [
  // Some minutes late, so that nodes whose clocks differ a little agree on every license that bears the mark.
  { name: 'mark lapsed licenses', step: markLapsedLicenses, ageMs: 5 * MINUTE_MS },
  { name: 'mark licenses that have not lapsed', step: markUnlapsedLicenses, ageMs: 0 },
  { name: 'delete old idempotent replies', step: deleteOldIdempotentReplies, ageMs: KEPT_MS.safeRetries },
  { name: 'delete old redemption attempts', step: deleteOldRedemptionAttempts, ageMs: HOUR_MS },
  // Trials count until the whole minute in which they were redeemed is an hour old.
  { name: 'delete old trial rates', step: deleteOldTrialRates, ageMs: 2 * HOUR_MS },
  { name: 'delete old refusals', step: deleteOldKeptRefusals, ageMs: KEPT_MS.refusals },
  // Clocks of nodes differ by less than a day, or one of them is wrong.
  { name: 'delete refusals of the future', step: deleteFutureKeptRefusals, ageMs: -DAY_MS },
  { name: 'add products of refusals', step: addProductsOfRefusals, ageMs: 0 },
  { name: 'count out expired license files', step: uncountOldLicenseFiles, ageMs: DAY_MS },
  { name: 'delete old license files', step: deleteOldLicenseFiles, ageMs: KEPT_MS.expiredLicenseFiles },
  { name: 'delete old hours of statistics', step: deleteOldHoursOfStatistics, ageMs: KEPT_MS.hourlyStatistics },
  { name: 'delete old days of statistics', step: deleteOldDaysOfStatistics, ageMs: KEPT_MS.dailyStatistics },
  // Late, so that nodes whose clocks differ agree that they are over.
  { name: 'delete old console sessions', step: deleteOldConsoleSessions, ageMs: DAY_MS },
  { name: 'delete old sign-in codes', step: deleteOldSignInCodes, ageMs: HOUR_MS },
  { name: 'index new machines', step: indexNewMachines, ageMs: 0 },
];

/** How long events are kept unless the operator says otherwise. */
const EVENT_RETENTION_MS = 400 * DAY_MS;

/** The jobs of a process. */
function jobsOf(eventRetentionMs: number): readonly Job[] {
  return [...jobs, { name: 'delete old events', step: retentionStep(), ageMs: eventRetentionMs }];
}

/** How to tidy. */
export interface TidyingOptions {
  /** Ends the round after the step under way. */
  readonly signal?: AbortSignal;
  /** Milliseconds after each step; {@link PAUSE_MS} unless told otherwise. */
  readonly pauseMs?: number;
  /** What there is to do; everything, with events kept for 400 days, unless told otherwise. */
  readonly jobs?: readonly Job[];
}

/** Tidies once: every job that no other node is at, until it is done. Answers how many rows were touched. */
export async function tidy(storage: Storage, clock: Clock, options: TidyingOptions = {}): Promise<number> {
  let touched = 0;
  for (const job of options.jobs ?? jobsOf(EVENT_RETENTION_MS)) touched += await work(job, storage, clock, options);
  return touched;
}

async function work(
  { name, step, ageMs }: Job,
  storage: Storage,
  clock: Clock,
  { signal, pauseMs = PAUSE_MS }: TidyingOptions,
): Promise<number> {
  let now = clock();
  const firstLease = toTimestamp(now + LEASE_MS);
  let held: string | null = null;
  let touched = 0;
  while (!signal?.aborted) {
    const until = toTimestamp(now + LEASE_MS);
    const done = await storage.transaction(async (tx) => {
      const isOurs =
        held === null
          ? await leaseJob(tx, name, { now: toTimestamp(now), until, latest: toTimestamp(now + INTERVAL_MS) })
          : await moveJobLease(tx, name, held, until);
      return isOurs ? step(tx, toTimestamp(now - ageMs), ROWS_AT_ONCE) : null;
    });
    if (done === null) return touched;
    held = until;
    touched += done;
    if (done < ROWS_AT_ONCE) {
      await giveBack(storage, name, held, firstLease);
      return touched;
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
    now = clock();
  }
  // Stopped with work left: whoever comes next may go on at once.
  if (held !== null) await giveBack(storage, name, held, toTimestamp(now));
  return touched;
}

/** Ends a lease earlier than it was taken for, so that the next round is not kept from the job by this one. */
async function giveBack(storage: Storage, job: string, held: string, until: string): Promise<void> {
  if (until < held) await storage.transaction((tx) => moveJobLease(tx, job, held, until));
}

/**
 * Tidies every minute until stopped; a round that takes longer is followed by the next at its time. One that fails is
 * reported, and the next one tries again.
 *
 * @returns stops: resolves when the step under way has ended
 */
export function startTidying(
  storage: Storage,
  clock: Clock,
  onFailure: (error: unknown) => void,
  eventRetentionMs = EVENT_RETENTION_MS,
): () => Promise<void> {
  const jobsHere = jobsOf(eventRetentionMs);
  const stopping = new AbortController();
  let round: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    round ??= tidyOnce().finally(() => (round = null));
  }, INTERVAL_MS);
  timer.unref();

  async function tidyOnce(): Promise<void> {
    try {
      await tidy(storage, clock, { signal: stopping.signal, jobs: jobsHere });
    } catch (error) {
      onFailure(error);
    }
  }

  return async () => {
    clearInterval(timer);
    stopping.abort();
    await round;
  };
}
