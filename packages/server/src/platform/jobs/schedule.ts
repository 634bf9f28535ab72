/** The one schedule of the service: starts each job of a process at its interval, and ends them when it stops. */
import type { Job, Work } from './job.ts';
import { Lease } from './lease.ts';
import { repeat } from './repeat.ts';

/** Runs a job once. @throws as the job does */
export function runJob(job: Job, work: Work): Promise<unknown> {
  return job.leased ? job.run(work, new Lease(work.storage, job.name, work.time.steadyNow)) : job.run(work);
}

/**
 * Runs jobs once, one after the other. A job that fails does not stop the others: on a full disk the jobs that delete
 * make the room that the jobs that mark need.
 *
 * @returns what each job returned
 * @throws the error of the first job that failed, after all others have run
 */
export async function runInTurn(jobs: readonly Job[], work: Work): Promise<unknown[]> {
  const results: unknown[] = [];
  const failures: unknown[] = [];
  for (const job of jobs)
    try {
      results.push(await runJob(job, work));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return results;
}

/**
 * Starts jobs at their intervals until stopped. A job never runs beside itself; after a run that takes longer than its
 * interval, the next one starts at its usual time. Jobs that take turns run one after the other.
 *
 * @param work is given to each run, with a signal that ends it
 * @param report receives the error of a failed run; the next run tries again
 * @param leasedEveryMs the interval of jobs with a lease, whose first run then is an interval later; each job's own by
 *   default
 * @returns a function that stops the jobs; it resolves when the steps in progress have ended
 */
export function startJobs(
  jobs: readonly Job[],
  work: Omit<Work, 'signal'>,
  report: (error: unknown) => void,
  leasedEveryMs?: number,
): () => Promise<void> {
  const stopping = new AbortController();
  const rounds = Map.groupBy(jobs, (job) => (job.takesTurns ? `turns of ${job.every}` : job.name));
  const ends = [...rounds.values()].map((round) => {
    const [first] = round as readonly Job[] as readonly [Job];
    const run = () => runInTurn(round, { ...work, signal: stopping.signal }).catch(report);
    return first.leased && leasedEveryMs !== undefined
      ? repeat(leasedEveryMs, run)
      : repeat(first.every, run, first.isAtStart);
  });
  return async () => {
    stopping.abort();
    await Promise.all(ends.map((end) => end()));
  };
}
