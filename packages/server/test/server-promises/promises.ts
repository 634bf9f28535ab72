/**
 * Promises that the service needs from a server that speaks PostgreSQL's protocol, as `npm run conformance` tests them.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A promise, kept if all of its tests pass. */
export interface Promised {
  /** Its name on the command line. */
  readonly name: string;
  /** The promise in an operator's words. */
  readonly sentence: string;
  /** Files of tests, below `test/`. */
  readonly files: readonly string[];
}

const LISTED: readonly Promised[] = [
  {
    name: 'tables',
    sentence: 'The tables can be made, each once, however many nodes start together',
    files: ['storage/migrate.test.ts'],
  },
  {
    name: 'rows',
    sentence: 'Rows come back as they were written, and text sorts by its bytes',
    files: ['storage/rows.test.ts'],
  },
  {
    name: 'transactions',
    sentence: 'A transaction is kept whole or not at all, and locked rows stay as they are until it ends',
    files: ['storage/transaction.test.ts', 'storage/afterwards.test.ts'],
  },
  {
    name: 'machine-limits',
    sentence: 'No license has more machines or sessions than it allows, however many come at once',
    files: [
      'licensing/client-endpoints/races.test.ts',
      'licensing/client-endpoints/activate.test.ts',
      'licensing/client-endpoints/floating.test.ts',
    ],
  },
  {
    name: 'activation-rate',
    sentence: 'No license is activated more often in an hour than it may be',
    files: ['licensing/client-endpoints/activation-rate.test.ts'],
  },
  {
    name: 'code-limits',
    sentence: 'No discount code and no seat is used more often than it may be, however many come at once',
    files: ['commerce/discount-codes/redemption-races.test.ts', 'commerce/studio-orders/redeem-seat-code.test.ts'],
  },
  {
    name: 'purchases',
    sentence: 'A purchase that is reported twice issues one license, and a request that is repeated is done once',
    files: [
      'commerce/storefront/purchase.test.ts',
      'commerce/storefront/purchases-of-others.test.ts',
      'runtime/http/idempotent-races.test.ts',
    ],
  },
  {
    name: 'races',
    sentence: 'Every other limit, name and change holds, however many calls come at once',
    files: [],
  },
  {
    name: 'nodes',
    sentence: 'What one node has answered holds on every other at once',
    files: ['licensing/client-endpoints/several-nodes.test.ts'],
  },
  {
    name: 'locks',
    sentence: 'A license that somebody keeps locked delays its own calls alone, and they are told to try again',
    files: ['licensing/client-endpoints/locked-license.test.ts'],
  },
  {
    name: 'lists',
    sentence: 'Lists are complete and in order, page after page',
    files: [
      'licensing/licenses/admin/list-licenses.test.ts',
      'licensing/licenses/admin/list-licenses-across-products.test.ts',
    ],
  },
  {
    name: 'tidying',
    sentence: 'Tidying marks what has lapsed, and never what somebody has renewed meanwhile',
    files: ['platform/jobs/tidying.test.ts', 'platform/jobs/tidying-races.test.ts'],
  },
  {
    name: 'operation',
    sentence: 'Starts, restarts, copies, exports and imports work, and a node outlives its connections',
    files: ['server-promises/operation.test.ts'],
  },
  {
    name: 'rules',
    sentence: 'Random histories of calls are answered as the rules say, one after the other and at once',
    files: ['model/model.test.ts', 'model/violation-counts.test.ts'],
  },
];

/** The tests of races that no other promise lists. Each fills the pool of connections, so that the calls meet. */
function otherRaces(): readonly string[] {
  const tests = join(import.meta.dirname, '..');
  const listed = LISTED.flatMap(({ files }) => files);
  return globSync('**/*.test.ts', { cwd: tests })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !path.startsWith('server-promises/') && !path.endsWith('.system.test.ts'))
    .filter((path) => !listed.includes(path))
    .filter((path) => readFileSync(join(tests, path), 'utf8').includes('support/full-pool.ts'))
    .sort();
}

/** Every promise: first the promises of the server itself, then those that the service builds on them. */
export const promises: readonly Promised[] = LISTED.map((promised) =>
  promised.name === 'races' ? { ...promised, files: otherRaces() } : promised,
);
