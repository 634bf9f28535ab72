/** A slice: everything that the service must know of a room. `app.ts` lists the slices. */

import type { StoredTable } from '../../storage/contract/table.ts';
import type { Job, JobContext } from '../jobs/job.ts';
import type { CountedChanges } from './counted-changes.ts';
import type { Endpoint, Section } from './endpoint.ts';
import type { MailKind } from './mail-kind.ts';
import type { Entry } from './refusals.ts';
import type { SliceMetrics } from './slice-metrics.ts';

export interface Slice {
  /** Its endpoints, by section of the reference. */
  readonly sections?: readonly Section[];
  /** Sections with endpoints that know of all others. A service without the console leaves them out. */
  readonly sectionsAmong?: (others: readonly Endpoint[]) => readonly Section[];
  /**
   * Endpoints of the pages at /my (access `customer`). They run as all others do, but have no path outside and stand in
   * no document.
   */
  readonly customerEndpoints?: readonly Endpoint[];
  /** Declared when they are imported. */
  readonly refusals?: readonly Readonly<Record<string, Entry>>[];
  readonly tables?: readonly StoredTable[];
  /** The kinds of mails that it causes. */
  readonly mails?: readonly MailKind[];
  /** The metrics of its changes that the service counts and stores. */
  readonly counted?: readonly CountedChanges[];
  /** Its exported metrics. */
  readonly metrics?: readonly SliceMetrics[];
  /** Its jobs, for one process. */
  readonly jobs?: (context: JobContext) => readonly Job[];
}
