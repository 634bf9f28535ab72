/** Counts committed changes by type, and lets the slices count theirs. */
import { sliceMetrics } from '../../app.ts';
import type { Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { RecordedChange } from '../../platform/events/recorded-changes.ts';

/** Counts the changes that a committed transaction recorded. Call it on each commit. */
export function measureChanges(measures: Measures, recorded: readonly RecordedChange[]): void {
  for (const change of recorded) {
    measures.counter(NODE_METRICS.latchkey_changes_total, { type: change.type }).value += 1;
    for (const { ofChange } of sliceMetrics) ofChange?.(change, measures);
  }
}
