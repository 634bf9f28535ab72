/** Counted metrics of slices (`Slice.counted`), beside those of calls and of the types of events (rules 10.9). */
import type { RecordedChange } from '../events/recorded-changes.ts';

export interface CountedChanges {
  /** Every name that it counts. insight/statistics/counted-metrics.ts offers them to /getStatistics. */
  readonly names: readonly string[];
  /** The type of event whose changes it counts. */
  readonly type: string;
  /** Returns the metric that counts a change; null if none does. */
  nameOf(change: RecordedChange): string | null;
}
