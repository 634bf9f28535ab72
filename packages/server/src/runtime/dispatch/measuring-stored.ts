/** Measures the database by querying it at intervals, independently of scrapes, so that a scrape waits for nothing. */
import { sliceMetrics } from '../../app.ts';
import type { Measures } from '../../ground/measures/measures.ts';
import type { Job } from '../../platform/jobs/job.ts';

const INTERVAL_MS = 15_000;

/** The job that measures: at the start and every 15 seconds. */
export function measuringStored(measures: Measures): Job {
  return {
    name: 'measure what is stored',
    every: INTERVAL_MS,
    leased: false,
    isAtStart: true,
    async run({ storage, clock }) {
      const now = clock();
      const measureAll = storage.read(async (sql) => {
        for (const { ofDatabase } of sliceMetrics) await ofDatabase?.(sql, now, measures);
      });
      // A failed query leaves the values unchanged, because the availability of the database is measured elsewhere.
      await measureAll.catch(() => {});
    },
  };
}
