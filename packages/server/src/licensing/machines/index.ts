/** Machines: the tables and the jobs. */

import type { Slice } from '../../platform/slice/slice.ts';
import { machineMetrics } from './exported-metrics.ts';
import { machineJobs } from './jobs.ts';
import { machineTables } from './tables.ts';

export const machines: Slice = {
  tables: machineTables,
  metrics: [machineMetrics],
  jobs: machineJobs,
};
