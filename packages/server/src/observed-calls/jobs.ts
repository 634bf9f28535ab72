/** The jobs of stored refusals and statistics. */
import { DAY_MS } from '../clock.ts';
import type { Job } from '../jobs/job.ts';
import { byRows, deletingOld, tidying } from '../jobs/tidying.ts';
import { KEPT_MS } from '../retention.ts';
import {
  addProductsOfRefusals,
  deleteFutureKeptRefusals,
  deleteOldDaysOfStatistics,
  deleteOldHoursOfStatistics,
} from './tidying-store.ts';
import type { ObservedWriter } from './write-observed.ts';

const deletingOldRefusals = deletingOld('kept_refusal.delete_old', {
  table: 'kept_refusal',
  key: ['license_key', 'refusal_id'],
  by: 'first_at',
});

export const observedCallJobs = ({ observedWriter }: { readonly observedWriter: ObservedWriter }): readonly Job[] => [
  ...observedWriter.jobs(),
  tidying('delete old refusals', { step: deletingOldRefusals, ageMs: KEPT_MS.refusals }),
  // Clocks of nodes differ by less than a day, or one of them is wrong.
  tidying('delete refusals of the future', { step: byRows(deleteFutureKeptRefusals), ageMs: -DAY_MS }),
  tidying('add products of refusals', { step: byRows(addProductsOfRefusals), ageMs: null }),
  tidying('delete old hours of statistics', {
    step: byRows(deleteOldHoursOfStatistics),
    ageMs: KEPT_MS.hourlyStatistics,
  }),
  tidying('delete old days of statistics', { step: byRows(deleteOldDaysOfStatistics), ageMs: KEPT_MS.dailyStatistics }),
];
