/** The jobs of stored refusals and statistics. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { byRows, tidying } from '../../platform/jobs/tidying.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { deleteFutureKeptRefusals, deleteOldStatistics } from './tidying-store.ts';
import { ObservedWriter, observedBounds } from './write-observed.ts';

/** Retention of statistics by the hour (rules 10.9). */
export const HOURS_KEPT_MS = 14 * DAY_MS;
/** Retention of statistics by the day: three years, leap year included. */
export const DAYS_KEPT_MS = 1_096 * DAY_MS;

export const observedCallJobs = ({
  ruleContext: { observedCalls },
  storage,
  report,
  bounds,
}: JobContext): readonly Job[] => [
  ...new ObservedWriter(storage, observedCalls, report, observedBounds(bounds)).jobs(),
  // Clocks of nodes differ by less than a day, or one of them is wrong.
  tidying('delete refusals of the future', { step: byRows(deleteFutureKeptRefusals), ageMs: -DAY_MS }),
  tidying('delete old hours of statistics', { step: byRows(deleteOldStatistics('hour')), ageMs: HOURS_KEPT_MS }),
  tidying('delete old days of statistics', { step: byRows(deleteOldStatistics('day')), ageMs: DAYS_KEPT_MS }),
];
