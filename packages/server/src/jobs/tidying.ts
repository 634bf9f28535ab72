/**
 * Tidying removes rows that have become useless with time, marks lapsed licenses for lists, and adds new machines to
 * the search indexes. While the clock is not believed, it removes and marks nothing (believed-time/). Tidying decides
 * nothing: a service that never tidies gives the same replies, only its lists get slower. After a clock that was ahead
 * is corrected, the first tidying corrects the lists by status.
 *
 * A job runs until no work is left, so that it keeps up with all writes, in steps with a pause after each, so that
 * requests hardly wait for it (step-size.ts). Every step renews the job's lease in its own transaction: a node that was
 * delayed and lost the job to another node does nothing more. A job that fails does not stop the others: on a full disk
 * the jobs that delete make the room that the jobs that mark need.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { JobTime } from '../believed-time/believed-time.ts';
import { DAY_MS, elapsedMs, HOUR_MS, MINUTE_MS, toTimestamp } from '../clock.ts';
import { KEPT_MS } from '../retention.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { retentionStep } from './event-retention.ts';
import { type StepBounds, StepSize } from './step-size.ts';
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
  deleteOldReplyRoom,
  deleteOldSignInCodes,
  deleteOldSignInRates,
  deleteOldSupportExtensions,
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
/** The pause after each step; with steps of 200 rows it allows several 100,000 rows a minute. */
const PAUSE_MS = 20;

/** The result of a step. */
export interface StepDone {
  /** Number of rows touched. */
  readonly rows: number;
  /** Whether the bounds covered all the work that it found. */
  readonly isLast: boolean;
}

/** A tidying job. */
export interface Job {
  readonly name: string;
  /** Works within the bounds on rows older than the job's age. */
  readonly step: (tx: Tx, before: string, most: StepBounds) => Promise<StepDone>;
  /** Negative if the job looks for rows that are ahead of the clock; null if its work does not depend on time. */
  readonly ageMs: number | null;
}

/**
 * Makes the step of a job whose rows are all small: `most` rows at once; `touch` returns the number of rows touched.
 */
export function byRows(touch: (tx: Tx, before: string, most: number) => Promise<number>): Job['step'] {
  return async (tx, before, { rows: most }) => {
    const rows = await touch(tx, before, most);
    return { rows, isLast: rows < most };
  };
}

const jobs: readonly Job[] = [
  // Some minutes late, so that nodes whose clocks differ slightly agree on every marked license.
  { name: 'mark lapsed licenses', step: byRows(markLapsedLicenses), ageMs: 5 * MINUTE_MS },
  { name: 'mark licenses that have not lapsed', step: byRows(markUnlapsedLicenses), ageMs: 0 },
  { name: 'delete old idempotent replies', step: deleteOldIdempotentReplies, ageMs: KEPT_MS.safeRetries },
  // Late, so that nodes whose clocks differ agree that the day is over.
  { name: 'delete old room of replies', step: byRows(deleteOldReplyRoom), ageMs: 2 * DAY_MS },
  { name: 'delete old redemption attempts', step: byRows(deleteOldRedemptionAttempts), ageMs: HOUR_MS },
  // A trial counts until the whole minute of its redemption is an hour old.
  { name: 'delete old trial rates', step: byRows(deleteOldTrialRates), ageMs: 2 * HOUR_MS },
  { name: 'delete old refusals', step: byRows(deleteOldKeptRefusals), ageMs: KEPT_MS.refusals },
  // Clocks of nodes differ by less than a day, or one of them is wrong.
  { name: 'delete refusals of the future', step: byRows(deleteFutureKeptRefusals), ageMs: -DAY_MS },
  { name: 'add products of refusals', step: byRows(addProductsOfRefusals), ageMs: null },
  { name: 'count out expired license files', step: byRows(uncountOldLicenseFiles), ageMs: DAY_MS },
  { name: 'delete old license files', step: byRows(deleteOldLicenseFiles), ageMs: KEPT_MS.expiredLicenseFiles },
  { name: 'delete old hours of statistics', step: byRows(deleteOldHoursOfStatistics), ageMs: KEPT_MS.hourlyStatistics },
  { name: 'delete old days of statistics', step: byRows(deleteOldDaysOfStatistics), ageMs: KEPT_MS.dailyStatistics },
  // Late, so that nodes whose clocks differ agree that they are over.
  { name: 'delete old console sessions', step: byRows(deleteOldConsoleSessions), ageMs: DAY_MS },
  { name: 'delete old sign-in codes', step: byRows(deleteOldSignInCodes), ageMs: HOUR_MS },
  // A sign-in counts until its whole minute is an hour old.
  { name: 'delete old sign-in rates', step: byRows(deleteOldSignInRates), ageMs: 2 * HOUR_MS },
  {
    name: 'delete old extensions by support',
    step: byRows(deleteOldSupportExtensions),
    ageMs: KEPT_MS.supportExtensions,
  },
  { name: 'index new machines', step: byRows(indexNewMachines), ageMs: null },
];

/** Retention of events unless the operator sets another. */
const EVENT_RETENTION_MS = 400 * DAY_MS;

/** The jobs of a process. */
function jobsOf(eventRetentionMs: number): readonly Job[] {
  return [...jobs, { name: 'delete old events', step: byRows(retentionStep()), ageMs: eventRetentionMs }];
}

/** Options of a tidying round. */
export interface TidyingOptions {
  /** Ends the round after the step in progress. */
  readonly signal?: AbortSignal;
  /** Pause in milliseconds after each step; {@link PAUSE_MS} by default. */
  readonly pauseMs?: number;
  /** The jobs; by default all, with events kept for 400 days. */
  readonly jobs?: readonly Job[];
  /** Step sizes so far, by the name of the job; empty by default. */
  readonly stepSizes?: Map<string, StepSize>;
  /** Measures steps, in milliseconds; {@link elapsedMs} by default. */
  readonly stopwatch?: () => number;
}

/**
 * Tidies once: runs every job that no other node holds until it is done. Returns the number of rows touched.
 *
 * @throws the error of the first job that failed, after all others have run
 */
export async function tidy(storage: Storage, time: JobTime, options: TidyingOptions = {}): Promise<number> {
  let touched = 0;
  const failures: unknown[] = [];
  for (const job of options.jobs ?? jobsOf(EVENT_RETENTION_MS))
    try {
      touched += await work(job, storage, time, options);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return touched;
}

async function work(
  { name, step, ageMs }: Job,
  storage: Storage,
  time: JobTime,
  { signal, pauseMs = PAUSE_MS, stepSizes = new Map(), stopwatch = elapsedMs }: TidyingOptions,
): Promise<number> {
  const size = stepSizes.get(name) ?? new StepSize();
  stepSizes.set(name, size);
  let now = time.steadyNow();
  let before = momentBefore(ageMs, time);
  const firstLease = toTimestamp(now + LEASE_MS);
  let held: string | null = null;
  let touched = 0;
  while (before !== null && !signal?.aborted) {
    const moment = before;
    const until = toTimestamp(now + LEASE_MS);
    let tookMs = 0;
    const done = await storage.transaction(async (tx) => {
      const startedAt = stopwatch();
      const isOurs =
        held === null
          ? await leaseJob(tx, name, { now: toTimestamp(now), until, latest: toTimestamp(now + INTERVAL_MS) })
          : await moveJobLease(tx, name, held, until);
      const stepDone = isOurs ? await step(tx, moment, size.bounds) : null;
      tookMs = stopwatch() - startedAt;
      return stepDone;
    });
    if (done === null) return touched;
    size.note(tookMs, !done.isLast);
    held = until;
    touched += done.rows;
    if (done.isLast) {
      await giveBack(storage, name, held, firstLease);
      return touched;
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
    now = time.steadyNow();
    // A clock may jump between two steps.
    before = momentBefore(ageMs, time);
  }
  // Stopped with work left: the next node may continue at once.
  if (held !== null) await giveBack(storage, name, held, toTimestamp(now));
  return touched;
}

/** Returns the moment before which a job works; null while it may not work because the clock is not believed. */
function momentBefore(ageMs: number | null, time: JobTime): string | null {
  if (ageMs === null) return '';
  const now = time.believableNow();
  return now === null ? null : toTimestamp(now - ageMs);
}

/** Ends a lease early, so that this round does not keep the next one from the job. */
async function giveBack(storage: Storage, job: string, held: string, until: string): Promise<void> {
  if (until < held) await storage.transaction((tx) => moveJobLease(tx, job, held, until));
}

/**
 * Tidies every minute until stopped; after a round that takes longer, the next one starts at its usual time. A failed
 * round is reported, and the next one tries again.
 *
 * @returns a function that stops the tidying; it resolves when the step in progress has ended
 */
export function startTidying(
  storage: Storage,
  time: JobTime,
  onFailure: (error: unknown) => void,
  eventRetentionMs = EVENT_RETENTION_MS,
): () => Promise<void> {
  const jobsHere = jobsOf(eventRetentionMs);
  const stepSizes = new Map<string, StepSize>();
  const stopping = new AbortController();
  let round: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    round ??= tidyOnce().finally(() => (round = null));
  }, INTERVAL_MS);
  timer.unref();

  async function tidyOnce(): Promise<void> {
    try {
      await tidy(storage, time, { signal: stopping.signal, jobs: jobsHere, stepSizes });
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
