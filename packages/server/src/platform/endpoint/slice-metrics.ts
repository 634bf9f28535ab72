/** Exported metrics of slices (`Slice.metrics`): their definitions, and how they are measured. */
import type { Measures } from '../../ground/measures/measures.ts';
import type { Metric } from '../../ground/measures/metric.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { RecordedChange } from '../events/recorded-changes.ts';
import type { MailKind } from './mail-kind.ts';

export interface SliceMetrics {
  /** All that it measures, as `declareMetrics` returns them. */
  readonly metrics: Readonly<Record<string, Metric>>;
  /** Reads values from the database: at the start of a node, and every 15 seconds. `now` in milliseconds since 1970. */
  readonly ofDatabase?: (sql: Sql, now: number, measures: Measures) => Promise<void>;
  /** Counts a committed change. */
  readonly ofChange?: (change: RecordedChange, measures: Measures) => void;
  /** Begins to measure what the senders of a node report; a node that sends nothing exports zeros. */
  readonly ofReports?: (measures: Measures, mailKinds: readonly MailKind[]) => ReportListeners;
}

/** The reports of senders, by kind. A slice declares its own beside its metrics. */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface Reports {}

export type ReportListeners = { readonly [Kind in keyof Reports]?: (report: Reports[Kind]) => void };
