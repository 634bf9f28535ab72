/** Violations: the table, and what is counted of them. */
import type { Slice } from '../../platform/slice/slice.ts';
import { countedViolations } from './counted-changes.ts';
import { violationMetrics } from './exported-metrics.ts';
import { violationTables } from './tables.ts';

export const violations: Slice = {
  tables: violationTables,
  metrics: [violationMetrics],
  counted: [countedViolations],
};
