/** The list of slices, and the lists of their parts: every endpoint, every table, every job. */
import { apiKeys } from './access/api-keys/index.ts';
import { consoleSlice } from './access/console/index.ts';
import { providerSignIn } from './access/oidc/index.ts';
import { connectors } from './commerce/connectors/index.ts';
import { discountCodes } from './commerce/discount-codes/index.ts';
import { sales } from './commerce/sales/index.ts';
import { storefront } from './commerce/storefront/index.ts';
import { studioOrders } from './commerce/studio-orders/index.ts';
import { trials } from './commerce/trials/index.ts';
import { brands } from './customers/brand/index.ts';
import { mail } from './customers/mail/index.ts';
import { customers } from './customers/records/index.ts';
import { replacement } from './customers/replacement/index.ts';
import { salesByMail } from './customers/sale-mails/index.ts';
import { selfService } from './customers/self-service/index.ts';
import { operatorNotices } from './insight/operator-notices/index.ts';
import { statistics } from './insight/statistics/index.ts';
import { support } from './insight/support/index.ts';
import { system } from './insight/system/index.ts';
import { clientEndpoints } from './licensing/client-endpoints/index.ts';
import { licenseFiles } from './licensing/license-files/index.ts';
import { licenses } from './licensing/licenses/index.ts';
import { movingOf } from './licensing/licenses/moved-rows-store.ts';
import { machines } from './licensing/machines/index.ts';
import { metering } from './licensing/metering/index.ts';
import { observedCalls } from './licensing/observed-calls/index.ts';
import { products } from './licensing/products/index.ts';
import { sessionTokens } from './licensing/session-tokens/index.ts';
import { violations } from './licensing/violations/index.ts';
import { believedTime } from './platform/believed-time/index.ts';
import type { CountedChanges } from './platform/endpoint/counted-changes.ts';
import type { Endpoint, Section } from './platform/endpoint/endpoint.ts';
import type { MailKind } from './platform/endpoint/mail-kind.ts';
import type { RuleContext, Settings } from './platform/endpoint/rule-context.ts';
import type { RulePart, RulePartOptions } from './platform/endpoint/rule-part.ts';
import type { SliceMetrics } from './platform/endpoint/slice-metrics.ts';
import { events } from './platform/events/index.ts';
import { startIndexingLate } from './platform/events/late-index.ts';
import { jobLeases } from './platform/jobs/index.ts';
import type { Job } from './platform/jobs/job.ts';
import { tidyingOf } from './platform/jobs/tidying.ts';
import { keptReplies } from './platform/kept-replies/index.ts';
import { rates } from './platform/rates/index.ts';
import type { Log } from './platform/senders/log.ts';
import type { Report } from './platform/senders/sender.ts';
import type { Site, SiteParts } from './platform/sites/site.ts';
import type { Condition, JobContext, Slice } from './platform/slice/slice.ts';
import type { Published } from './storage/contract/published.ts';
import type { Sql } from './storage/contract/storage.ts';
import { isCopied, type StoredTable } from './storage/contract/table.ts';
import { storageRecords } from './storage/opening/index.ts';
import { deliveries } from './webhooks/deliveries/index.ts';
import { destinations } from './webhooks/destinations/index.ts';
import { expiryNotices } from './webhooks/expiry-notices/index.ts';

export { identify } from './access/console/identify.ts';

/**
 * Every slice: endpoints in the order of the reference and of rules 4, and jobs of tidying in the order in which they
 * take turns.
 */
const declared = [
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
  sales,
  licenseFiles,
  consoleSlice,
  providerSignIn,
  system,
  destinations,
  deliveries,
  expiryNotices,
  mail,
  selfService,
  brands,
  trials,
  metering,
  connectors,
  salesByMail,
  replacement,
  operatorNotices,
  events,
  believedTime,
  rates,
  jobLeases,
  storageRecords,
] as const satisfies readonly Slice[];

const slices: readonly Slice[] = declared;

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

/** Every endpoint that the dispatcher runs, by path: also the inner ones, which have no path outside. */
export const dispatchedByPath = byPath([...endpoints, ...slices.flatMap(({ inner = [] }) => inner)]);

function endpointsOf(sections: readonly Section[]): readonly Endpoint[] {
  return sections.flatMap((section) => section.endpoints);
}

function byPath(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  return new Map(endpoints.map((each) => [each.path, each]));
}

/** The sites of all slices, for one process. */
export async function sitesOf(parts: SiteParts): Promise<readonly Site[]> {
  const found = await Promise.all(slices.map(({ sites }) => sites?.(parts) ?? []));
  return found.flat();
}

/** Passes on the reports of senders to the log. */
export function logReports(log: Log): Report {
  const listeners = slices.flatMap(({ logs }) => logs?.(log) ?? []);
  return (kind, report) => {
    for (const each of listeners) each[kind]?.(report);
  };
}

/** Reports the messages of commits of this process to the log and the metrics. */
export function reportCommit(published: Published, report: Report): void {
  for (const each of commitReporters) each(published, report);
}
/** Collected once, because every commit passes here. */
const commitReporters = slices.flatMap(({ reportCommit: reporter }) => reporter ?? []);

/** The warnings of all slices at a start. @throws if the database cannot be read */
export async function findWarnings(sql: Sql, settings: Settings): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { warnings } of slices) found.push(...((await warnings?.(sql, settings)) ?? []));
  return found;
}

/** The conditions that a running service watches, of all slices. */
export const conditions: readonly Condition[] = slices.flatMap(({ conditions = [] }) => conditions);

/** The values that the parts of a slice give to its rules. */
type GivenBy<Declared> = Declared extends { readonly ruleParts: (options: RulePartOptions) => RulePart<infer Given> }
  ? (given: Given) => void
  : never;
/** The values of all parts together. */
type Given = GivenBy<(typeof declared)[number]> extends (given: infer All) => void ? All : never;

/** Makes the parts of all slices for a thread. The compiler names each name of the rule context that no slice gives. */
export function makeRuleParts(options: Omit<RulePartOptions, 'moveRows'>): {
  readonly parts: readonly RulePart[];
  readonly given: Omit<RuleContext, 'settings' | 'believedTime'>;
} {
  const parts = slices.flatMap(({ ruleParts }) => ruleParts?.({ ...options, moveRows }) ?? []);
  const given: Given = Object.assign({}, ...parts.map((part) => part.given));
  return { parts, given };
}

/** Every table of the database. */
export const tables: readonly StoredTable[] = slices.flatMap(({ tables = [] }) => tables);

/** Moves the rows of all tables that follow a license to another key. */
const moveRows = movingOf(tables);

/** The names of the tables that the command copy carries to another database. */
export const copiedTables: readonly string[] = tables.filter(isCopied).map(({ name }) => name);

/** The kinds of e-mails of all slices. */
export const mailKinds: readonly MailKind[] = slices.flatMap(({ mails = [] }) => mails);

/** The counted metrics of all slices. */
export const countedChanges: readonly CountedChanges[] = slices.flatMap(({ counted = [] }) => counted);

/** The exported metrics of all slices. */
export const sliceMetrics: readonly SliceMetrics[] = slices.flatMap(({ metrics = [] }) => metrics);

/** The words of all slices that the console shows, by the name of their generated file. */
export const consoleWords: readonly (readonly [string, unknown])[] = slices.flatMap(({ consoleWords = {} }) =>
  Object.entries(consoleWords),
);

const tidyingOfTables = tidyingOf(tables);

/** The jobs of all slices, for one process. */
export const jobsOf = (context: JobContext): readonly Job[] => [
  ...slices.flatMap(({ jobs }) => jobs?.(context) ?? []),
  ...tidyingOfTables(),
];

/** Starts the work on SQLite that recorded changes cause, as opposed to a timer; returns a function that stops it. */
export const startAfterChanges = startIndexingLate;
