/** Violations: the table, and what is counted of them. */
import type { Slice } from '../../platform/slice/slice.ts';
import { countedViolations } from './counted-changes.ts';
import { violationMetrics } from './exported-metrics.ts';
import { violationTables } from './tables.ts';
import { ViolationTally } from './violation-tally.ts';

export const violations = {
  tables: violationTables,
  metrics: [violationMetrics],
  counted: [countedViolations],
  ruleParts: () => ({ given: { violationTally: new ViolationTally() } }),
} satisfies Slice;
