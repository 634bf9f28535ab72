/** The figures of sales. The statistics show them (insight/statistics/index.ts). */
import type { Slice } from '../../platform/slice/slice.ts';
import { salesJobs } from './count-sales.ts';
import { salesTables } from './tables.ts';

export const sales: Slice = { tables: salesTables, jobs: salesJobs };
