/**
 * The list of slices: every endpoint of the service, by section, in the order of the reference and of rules 4; every
 * table; every job.
 */
import { apiKeyEndpoints } from './api-keys/index.ts';
import { apiKeyTables } from './api-keys/tables.ts';
import { believedTimeTables } from './believed-time/tables.ts';
import { clientEndpoints } from './client-endpoints/index.ts';
import { consoleEndpoints } from './console/index.ts';
import { consoleTables } from './console/tables.ts';
import { customerEndpoints } from './customers/index.ts';
import { customerTables } from './customers/tables.ts';
import { discountCodeEndpoints } from './discount-codes/index.ts';
import { discountCodeTables } from './discount-codes/tables.ts';
import type { Endpoint, Section } from './endpoint/endpoint.ts';
import { startIndexingLate } from './events/late-index.ts';
import { eventJobs } from './events/retention.ts';
import { eventTables } from './events/tables.ts';
import type { Job } from './jobs/job.ts';
import { jobTables } from './jobs/tables.ts';
import { tidyingOf } from './jobs/tidying.ts';
import { keptReplyJobs } from './kept-replies/jobs.ts';
import { keptReplyTables } from './kept-replies/tables.ts';
import { licenseFileEndpoints } from './license-files/index.ts';
import { licenseFileJobs } from './license-files/jobs.ts';
import { licenseFileTables } from './license-files/tables.ts';
import { licenseEndpoints } from './licenses/index.ts';
import { licenseJobs } from './licenses/jobs.ts';
import { licenseTables } from './licenses/tables.ts';
import { machineJobs } from './machines/jobs.ts';
import { machineTables } from './machines/tables.ts';
import { observedCallJobs } from './observed-calls/jobs.ts';
import { observedCallTables } from './observed-calls/tables.ts';
import type { ObservedWriter } from './observed-calls/write-observed.ts';
import { productEndpoints, variantEndpoints } from './products/index.ts';
import { productTables } from './products/tables.ts';
import { sessionTokenTables } from './session-tokens/tables.ts';
import { statisticsJobs } from './statistics/counting-licenses.ts';
import { statisticsEndpoints } from './statistics/index.ts';
import { statisticsTables } from './statistics/tables.ts';
import { isCopied, type StoredTable } from './storage/table.ts';
import { storageTables } from './storage/tables.ts';
import { storefrontEndpoints } from './storefront/index.ts';
import { storefrontTables } from './storefront/tables.ts';
import { studioOrderEndpoints } from './studio-orders/index.ts';
import { studioOrderTables } from './studio-orders/tables.ts';
import { supportEndpoints } from './support/index.ts';
import { systemEndpoints } from './system/index.ts';
import { violationTables } from './violations/tables.ts';
import type { ViolationTally } from './violations/violation-tally.ts';

export { identify } from './console/identify.ts';

/** Sections listed before the console; the console is built with them. */
const sectionsBefore: readonly Section[] = [
  {
    title: 'Client endpoints',
    description:
      'Calls of applications on the machines of customers. No credential: the license key, and the ' +
      'session token that /activate gives, show who is asking.',
    endpoints: clientEndpoints,
  },
  {
    title: 'License management',
    description:
      'Issuing, reading and changing licenses. For the operator, and for creators within their own ' + 'products.',
    endpoints: licenseEndpoints,
  },
  {
    title: 'Support',
    description:
      'Answers for support staff when a customer writes. For the operator, and for creators within their own products.',
    endpoints: supportEndpoints,
  },
  {
    title: 'API keys',
    description:
      'Keys with which creators manage their own products, variants, licenses and codes. For the operator ' + 'alone.',
    endpoints: apiKeyEndpoints,
  },
  {
    title: 'Products',
    description: 'The catalogue of products on sale. Every product belongs to one creator.',
    endpoints: productEndpoints,
  },
  {
    title: 'Variants',
    description: 'The editions of a product: license type, number of machines and duration.',
    endpoints: variantEndpoints,
  },
  {
    title: 'Discount codes',
    description: 'Codes that give a trial, redeemed by customers or with a purchase.',
    endpoints: discountCodeEndpoints,
  },
  {
    title: 'Storefront webhook',
    description: 'Where the storefront reports purchases, refunds and subscriptions.',
    endpoints: storefrontEndpoints,
  },
  {
    title: 'Studio orders',
    description: 'Several seats of one course, bought together and redeemed by code, one seat a person.',
    endpoints: studioOrderEndpoints,
  },
  {
    title: 'Customers',
    description: 'Everything about a customer across purchases. For the operator only.',
    endpoints: customerEndpoints,
  },
  {
    title: 'Statistics',
    description: 'How much happens and how things are, in figures. For the operator, and for creators of their own.',
    endpoints: statisticsEndpoints,
  },
  {
    title: 'License files',
    description:
      'Signed files let apps run while the service is unreachable, or without any connection. Apps fetch ' +
      'theirs; the operator, and creators within their own products, make those of machines that are never connected.',
    endpoints: licenseFileEndpoints,
  },
];

const systemSection: Section = {
  title: 'System',
  description: 'The running version and its configuration. For the operator only.',
  endpoints: systemEndpoints,
};

/** All sections but the console. */
const sectionsBeside: readonly Section[] = [...sectionsBefore, systemSection];

export const sections: readonly Section[] = [
  ...sectionsBefore,
  {
    title: 'Console',
    description:
      "Who is signed in to the console at /console/, and the keys of the operator's people, who sign in with roles.",
    endpoints: consoleEndpoints(sectionsBeside.flatMap((section) => section.endpoints)),
  },
  systemSection,
];

/** Endpoints by path for a service without the console. */
export const endpointsWithoutConsole: ReadonlyMap<string, Endpoint> = new Map(
  sectionsBeside.flatMap((section) => section.endpoints.map((each) => [each.path, each])),
);

export const endpoints: readonly Endpoint[] = sections.flatMap((section) => section.endpoints);

/** Every endpoint by path. */
export const endpointsByPath: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((each) => [each.path, each]));

/** Every table of the database. */
export const tables: readonly StoredTable[] = [
  ...licenseTables,
  ...machineTables,
  ...violationTables,
  ...sessionTokenTables,
  ...keptReplyTables,
  ...discountCodeTables,
  ...observedCallTables,
  ...licenseFileTables,
  ...consoleTables,
  ...eventTables,
  ...statisticsTables,
  ...productTables,
  ...apiKeyTables,
  ...studioOrderTables,
  ...storefrontTables,
  ...customerTables,
  ...believedTimeTables,
  ...jobTables,
  ...storageTables,
];

/** The names of the tables that the command copy carries to another database. */
export const copiedTables: readonly string[] = tables.filter(isCopied).map(({ name }) => name);

const tidyingOfTables = tidyingOf(tables);

/** The state of a process that its jobs share with its calls. */
export interface JobContext {
  readonly eventRetentionMs: number;
  readonly violationTally: ViolationTally;
  readonly observedWriter: ObservedWriter;
}

/** The jobs of all slices, for one process. */
export const jobsOf = (context: JobContext): readonly Job[] => [
  ...licenseJobs(context),
  ...machineJobs(),
  ...keptReplyJobs(),
  ...observedCallJobs(context),
  ...licenseFileJobs(),
  ...eventJobs(context),
  ...statisticsJobs(),
  ...tidyingOfTables(),
];

/** Starts the work on SQLite that recorded changes cause, as opposed to a timer; returns a function that stops it. */
export const startAfterChanges = startIndexingLate;
