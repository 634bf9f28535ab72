/** Counts the sales of an app in tests, and reads their figures. */
import assert from 'node:assert/strict';
import { jobsOf } from '../../../src/app.ts';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { Job } from '../../../src/platform/jobs/job.ts';
import { runInTurn } from '../../../src/platform/jobs/schedule.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { jobContextOf } from '../../support/contexts.ts';
import { mustSucceed } from '../../support/creator.ts';
import { standingAt } from '../../support/tidy.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Jobs that lead to the figures, in this order. */
const JOBS = ['index new machines', 'find trials that became paid', 'count sales'];

/** Runs the jobs once, as a node at a time does. */
export async function runSalesJobs(storage: Storage, now: number, names: readonly string[] = JOBS): Promise<void> {
  const time = standingAt(now);
  const isWanted = ({ name }: Job) => names.includes(name);
  const jobs = jobsOf(jobContextOf(storage)).filter(isWanted);
  assert.equal(jobs.length, names.length);
  jobs.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  await runInTurn(jobs, { storage, clock: time.steadyNow, time, pauseMs: 0 });
}

/** Moves the clock by a minute, after which no other run holds a lease, and counts. */
export async function countNow(app: TestApp, storage: Storage): Promise<void> {
  app.clock.move(MINUTE_MS);
  await runSalesJobs(storage, app.clock.now());
  const { completeTo } = await mustSucceed(app.admin('/getSales'));
  assert.equal(completeTo, app.clock.at(), 'everything is counted');
}

/** The figures that are not 0, of each variant. */
export function figuresOf({ variants }: Answer['body']): Readonly<Record<string, Fields>> {
  return Object.fromEntries(
    variants.map(({ variant, totals }: { readonly variant: string; readonly totals: Fields }) => [
      variant,
      notZero(totals),
    ]),
  );
}

/** The figures that are not 0. */
export function notZero(totals: Fields): Fields {
  return Object.fromEntries(Object.entries(totals).filter(([, value]) => value !== 0));
}
