/** The list of slices, and what the service makes of it: every endpoint, every table, every job. */
import { apiKeys } from './api-keys/index.ts';
import { believedTime } from './believed-time/index.ts';
import { brands } from './brand/index.ts';
import { clientEndpoints } from './client-endpoints/index.ts';
import { consoleSlice } from './console/index.ts';
import { customers } from './customers/index.ts';
import { deliveries } from './deliveries/index.ts';
import { destinations } from './destinations/index.ts';
import { discountCodes } from './discount-codes/index.ts';
import type { CountedChanges } from './endpoint/counted-changes.ts';
import type { Endpoint, Section } from './endpoint/endpoint.ts';
import type { MailKind } from './endpoint/mail-kind.ts';
import type { Slice } from './endpoint/slice.ts';
import type { SliceMetrics } from './endpoint/slice-metrics.ts';
import { events } from './events/index.ts';
import { startIndexingLate } from './events/late-index.ts';
import { expiryNotices } from './expiry-notices/index.ts';
import { jobLeases } from './jobs/index.ts';
import type { Job, JobContext } from './jobs/job.ts';
import { tidyingOf } from './jobs/tidying.ts';
import { keptReplies } from './kept-replies/index.ts';
import { licenseFiles } from './license-files/index.ts';
import { licenses } from './licenses/index.ts';
import { machines } from './machines/index.ts';
import { mail } from './mail/index.ts';
import { observedCalls } from './observed-calls/index.ts';
import { products } from './products/index.ts';
import { selfService } from './self-service/index.ts';
import { sessionTokens } from './session-tokens/index.ts';
import { statistics } from './statistics/index.ts';
import { storageRecords } from './storage/index.ts';
import { isCopied, type StoredTable } from './storage/table.ts';
import { storefront } from './storefront/index.ts';
import { studioOrders } from './studio-orders/index.ts';
import { support } from './support/index.ts';
import { system } from './system/index.ts';
import { violations } from './violations/index.ts';

export { identify } from './console/identify.ts';

/**
 * Every slice: endpoints in the order of the reference and of rules 4, and jobs of tidying in the order in which they
 * take turns.
 */
const slices: readonly Slice[] = [
  clientEndpoints,
  licenses,
  machines,
  violations,
  sessionTokens,
  keptReplies,
  support,
  apiKeys,
  products,
  discountCodes,
  observedCalls,
  storefront,
  studioOrders,
  customers,
  statistics,
  licenseFiles,
  consoleSlice,
  system,
  destinations,
  deliveries,
  expiryNotices,
  mail,
  selfService,
  brands,
  events,
  believedTime,
  jobLeases,
  storageRecords,
];

const endpointsBeside: readonly Endpoint[] = slices.flatMap(({ sections = [] }) => endpointsOf(sections));

export const sections: readonly Section[] = slices.flatMap(({ sections = [], sectionsAmong }) => [
  ...sections,
  ...(sectionsAmong?.(endpointsBeside) ?? []),
]);

/** Endpoints by path for a service without the console. */
export const endpointsWithoutConsole = byPath(endpointsBeside);

export const endpoints: readonly Endpoint[] = endpointsOf(sections);

/** Every endpoint of the reference by path. */
export const endpointsByPath = byPath(endpoints);

/** Every endpoint that the dispatcher runs, by path: also those of the pages at /my, which have no path outside. */
export const dispatchedByPath = byPath([
  ...endpoints,
  ...slices.flatMap(({ customerEndpoints = [] }) => customerEndpoints),
]);

function endpointsOf(sections: readonly Section[]): readonly Endpoint[] {
  return sections.flatMap((section) => section.endpoints);
}

function byPath(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  return new Map(endpoints.map((each) => [each.path, each]));
}

/** Every table of the database. */
export const tables: readonly StoredTable[] = slices.flatMap(({ tables = [] }) => tables);

/** The names of the tables that the command copy carries to another database. */
export const copiedTables: readonly string[] = tables.filter(isCopied).map(({ name }) => name);

/** The kinds of mails of all slices. */
export const mailKinds: readonly MailKind[] = slices.flatMap(({ mails = [] }) => mails);

/** The counted metrics of all slices. */
export const countedChanges: readonly CountedChanges[] = slices.flatMap(({ counted = [] }) => counted);

/** The exported metrics of all slices. */
export const sliceMetrics: readonly SliceMetrics[] = slices.flatMap(({ metrics = [] }) => metrics);

const tidyingOfTables = tidyingOf(tables);

/** The jobs of all slices, for one process. */
export const jobsOf = (context: JobContext): readonly Job[] => [
  ...slices.flatMap(({ jobs }) => jobs?.(context) ?? []),
  ...tidyingOfTables(),
];

/** Starts the work on SQLite that recorded changes cause, as opposed to a timer; returns a function that stops it. */
export const startAfterChanges = startIndexingLate;
