/** Observed calls: the tables and the jobs. */
import type { Slice } from '../../platform/slice/slice.ts';
import { observedCallJobs } from './jobs.ts';
import { observedCallTables } from './tables.ts';

export const observedCalls: Slice = {
  tables: observedCallTables,
  jobs: observedCallJobs,
};
