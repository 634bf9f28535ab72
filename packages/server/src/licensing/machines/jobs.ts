/** The jobs of machines. */
import type { Job } from '../../platform/jobs/job.ts';
import { byRows, tidying } from '../../platform/jobs/tidying.ts';
import { indexNewMachines } from './tidying-store.ts';

export const machineJobs = (): readonly Job[] => [
  tidying('index new machines', { step: byRows(indexNewMachines), ageMs: null }),
];
