/** A slice: everything that the service must know of a room. `app.ts` lists the slices. */

import type { Published } from '../../storage/contract/published.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import type { StoredTable } from '../../storage/contract/table.ts';
import type { CountedChanges } from '../endpoint/counted-changes.ts';
import type { Endpoint, Section } from '../endpoint/endpoint.ts';
import type { MailKind } from '../endpoint/mail-kind.ts';
import type { Entry } from '../endpoint/refusals.ts';
import type { RuleContext, Settings } from '../endpoint/rule-context.ts';
import type { MemoryBounds, RulePart, RulePartOptions } from '../endpoint/rule-part.ts';
import type { ReportListeners, SliceMetrics } from '../endpoint/slice-metrics.ts';
import type { Job } from '../jobs/job.ts';
import type { Log } from '../senders/log.ts';
import type { Report } from '../senders/sender.ts';
import type { Site, SiteParts } from '../sites/site.ts';

/** A condition that a running service watches, for the log. */
export interface Condition {
  /** The lines of the log when it begins and when it ends. */
  began(warning: string): { readonly event: string; readonly warning: string };
  ended(): { readonly event: string };
  /** Returns a warning for the operator, as a sentence without a full stop; null while all is well. */
  find(sql: Sql, now: number): Promise<string | null>;
}

/** The values that the jobs of a process share with its calls. */
export interface JobContext {
  readonly settings: Settings;
  readonly ruleContext: RuleContext;
  /** The storage that runs of the jobs get. */
  readonly storage: Storage;
  /** Receives failures for the log. */
  readonly report: (error: unknown) => void;
  readonly bounds: Partial<MemoryBounds>;
}

export interface Slice {
  /** Its endpoints, by section of the reference. */
  readonly sections?: readonly Section[];
  /** Sections with endpoints that know of all others. A service without the console leaves them out. */
  readonly sectionsAmong?: (others: readonly Endpoint[]) => readonly Section[];
  /** Endpoints that sites and senders call (endpoint/inner.ts). */
  readonly inner?: readonly Endpoint[];
  /** Its pages, documents and raw paths; none if they are switched off. */
  readonly sites?: (parts: SiteParts) => readonly Site[] | Promise<readonly Site[]>;
  /** Declared when they are imported. */
  readonly refusals?: readonly Readonly<Record<string, Entry>>[];
  readonly tables?: readonly StoredTable[];
  /** The kinds of e-mails that it causes. */
  readonly mails?: readonly MailKind[];
  /** The metrics of its changes that the service counts and stores. */
  readonly counted?: readonly CountedChanges[];
  /** Its exported metrics. */
  readonly metrics?: readonly SliceMetrics[];
  /** Turns the messages of commits into reports for the log and the metrics, in the thread that answers. */
  readonly reportCommit?: (published: Published, report: Report) => void;
  /** Logs the reports of its senders and of its commits. */
  readonly logs?: (log: Log) => ReportListeners;
  /**
   * Warnings for the operator at a start, as sentences without a full stop.
   *
   * @throws if the database cannot be read
   */
  readonly warnings?: (sql: Sql, settings: Settings) => Promise<readonly string[]>;
  /** The conditions that a running service watches. */
  readonly conditions?: readonly Condition[];
  /**
   * The values in memory that its rules get. A slice that has one is declared with `satisfies Slice`: app.ts asks for
   * each name of the rule context.
   */
  readonly ruleParts?: (options: RulePartOptions) => RulePart;
  /** Words and facts that the console shows, by the name of their generated file in packages/console/src/api. */
  readonly consoleWords?: Readonly<Record<string, unknown>>;
  /** Its jobs, for one process. */
  readonly jobs?: (context: JobContext) => readonly Job[];
}
