/**
 * Tidying removes rows that have become useless with time, marks lapsed licenses for lists, and adds new machines to
 * the search indexes. While the clock is not believed, it removes and marks nothing (believed-time/). Tidying decides
 * nothing: a service that never tidies gives the same replies, only its lists get slower. After a clock that was ahead
 * is corrected, the first tidying corrects the lists by status.
 *
 * A tidying job runs once a minute until no work is left, so that it keeps up with all writes, in steps with a pause
 * after each, so that requests hardly wait for it (step-size.ts). The tidying jobs of a process take turns.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { StoredTable } from '../../storage/contract/table.ts';
import type { Job, JobTime, LeasedJob, Work } from './job.ts';
import type { Lease } from './lease.ts';
import { deletionOf } from './old-rows-store.ts';
import { type StepBounds, StepSize } from './step-size.ts';

/** The pause after each step; with steps of 200 rows it allows several 100,000 rows a minute. */
const PAUSE_MS = 20;

/** The result of a step. */
export interface StepDone {
  /** Number of rows touched. */
  readonly rows: number;
  /** Whether the bounds covered all the work that it found. */
  readonly isLast: boolean;
}

/** The work of a tidying job, or of another job in steps. */
export interface Tidying {
  /** Works within the bounds on rows older than the job's age. */
  readonly step: (tx: Tx, before: string, most: StepBounds) => Promise<StepDone>;
  /** Milliseconds. Negative if the job looks for rows that are ahead of the clock; null if time does not matter. */
  readonly ageMs: number | null;
}

/** Makes a tidying job of a process. A run returns the number of rows touched. */
export function tidying(name: string, what: Tidying): LeasedJob {
  return { ...inSteps(name, what), takesTurns: true };
}

/** Makes a job of a process that works in steps as tidying does, beside it. It keeps the size of its steps. */
export function inSteps(name: string, what: Tidying): LeasedJob {
  const size = new StepSize();
  return { name, every: MINUTE_MS, leased: true, run: (work, lease) => runSteps(what, size, work, lease) };
}

/**
 * Makes the step of a job whose rows are all small: `most` rows at once; `touch` returns the number of rows touched.
 */
export function byRows(touch: (tx: Tx, before: string, most: number) => Promise<number>): Tidying['step'] {
  return async (tx, before, { rows: most }) => {
    const rows = await touch(tx, before, most);
    return { rows, isLast: rows < most };
  };
}

/**
 * Declares the deletion of what tables keep for a time.
 *
 * @returns makes the jobs of a process
 */
export function tidyingOf(tables: readonly StoredTable[]): () => readonly Job[] {
  const deletions = tables.flatMap(({ name, kept }) =>
    kept === undefined ? [] : [{ ...kept, step: byRows(deletionOf(name, kept)) }],
  );
  return () => deletions.map(({ job, step, ageMs }) => tidying(job, { step, ageMs }));
}

async function runSteps(
  { step, ageMs }: Tidying,
  size: StepSize,
  { time, signal, pauseMs = PAUSE_MS, stopwatch = elapsedMs }: Work,
  lease: Lease,
): Promise<number> {
  let before = momentBefore(ageMs, time);
  let touched = 0;
  while (before !== null && !signal?.aborted) {
    const moment = before;
    let tookMs = 0;
    const held = await lease.hold(async (tx) => {
      const from = stopwatch();
      const done = await step(tx, moment, size.bounds);
      tookMs = stopwatch() - from;
      return done;
    });
    if (held === null) return touched;
    const { rows, isLast } = held.done;
    size.note(tookMs, !isLast);
    touched += rows;
    if (isLast) {
      await lease.done();
      return touched;
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
    // A clock may jump between two steps.
    before = momentBefore(ageMs, time);
  }
  // Stopped with work left: the next node may continue at once.
  await lease.giveBack();
  return touched;
}

/** Returns the moment before which a job works; null while it may not work because the clock is not believed. */
function momentBefore(ageMs: number | null, time: JobTime): string | null {
  if (ageMs === null) return '';
  const now = time.believableNow();
  return now === null ? null : toTimestamp(now - ageMs);
}
