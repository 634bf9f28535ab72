/** Runs the tidying of the service for tests that do not wait for its schedule. */
import { jobsOf } from '../../src/app.ts';
import { believingEvery } from '../../src/platform/believed-time/believed-time.ts';
import type { Job, JobTime, Work } from '../../src/platform/jobs/job.ts';
import { runInTurn } from '../../src/platform/jobs/schedule.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { EXPIRY_JOB } from '../../src/webhooks/expiry-notices/notice.ts';
import { jobContextOf } from './contexts.ts';

/** The tidying jobs of a process that keeps events for 400 days. */
export function tidyingJobs(storage: Storage): readonly Job[] {
  return allJobs(storage).filter(({ takesTurns }) => takesTurns);
}

/** The job of a process that records notices about expiring licenses. */
export function expiryJobs(storage: Storage, expiryNoticesMs: readonly number[] | null): readonly Job[] {
  return allJobs(storage, expiryNoticesMs).filter(({ name }) => name === EXPIRY_JOB);
}

function allJobs(storage: Storage, expiryNoticesMs: readonly number[] | null = null): readonly Job[] {
  return jobsOf(jobContextOf(storage, { expiryNoticesMs }));
}

/** The time of jobs by a clock that stands still and is believed. */
export const standingAt = (now: number): JobTime => believingEvery(() => now);

/**
 * Tidies once, as one process does.
 *
 * @returns the number of rows touched
 * @throws the error of the first job that failed, after all others have run
 */
export async function tidy(
  storage: Storage,
  time: JobTime,
  { jobs = tidyingJobs(storage), ...options }: Pick<Work, 'pauseMs' | 'stopwatch'> & { jobs?: readonly Job[] } = {},
): Promise<number> {
  const touched = await runInTurn(jobs, { storage, clock: time.steadyNow, time, ...options });
  return (touched as number[]).reduce((sum, rows) => sum + rows, 0);
}
