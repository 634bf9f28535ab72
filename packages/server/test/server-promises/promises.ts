/**
 * Promises that the service needs from a server that speaks PostgreSQL's protocol, as `npm run conformance` tests them.
 */

/** A promise, kept if all of its tests pass. */
export interface Promised {
  /** Its name on the command line. */
  readonly name: string;
  /** The promise in an operator's words. */
  readonly sentence: string;
  /** Files of tests, below `test/`. */
  readonly files: readonly string[];
}

/** Every promise: first the promises of the server itself, then those that the service builds on them. */
export const promises: readonly Promised[] = [
  {
    name: 'tables',
    sentence: 'The tables can be made, each once, however many nodes start together',
    files: ['storage/migrate.test.ts', 'storage/older-catalogue.test.ts'],
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
    files: ['client-endpoints/races.test.ts', 'client-endpoints/activate.test.ts', 'client-endpoints/floating.test.ts'],
  },
  {
    name: 'activation-rate',
    sentence: 'No license is activated more often in an hour than it may be',
    files: ['client-endpoints/activation-rate.test.ts'],
  },
  {
    name: 'code-limits',
    sentence: 'No discount code and no seat is used more often than it may be, however many come at once',
    files: ['discount-codes/redemption-races.test.ts', 'studio-orders/redeem-seat-code.test.ts'],
  },
  {
    name: 'purchases',
    sentence: 'A purchase that is reported twice issues one license, and a request that is repeated is done once',
    files: ['storefront/purchase.test.ts', 'storefront/purchases-of-others.test.ts', 'http/idempotent-races.test.ts'],
  },
  {
    name: 'races',
    sentence: 'Every other limit, name and change holds, however many calls come at once',
    files: [
      'console/session-limits.test.ts',
      'console/sign-in-links.test.ts',
      'console/sign-in-rate.test.ts',
      'console/support-extensions.test.ts',
      'customers/forget-customer.test.ts',
      'destinations/destinations.test.ts',
      'discount-codes/create-discount-code.test.ts',
      'discount-codes/guessing.test.ts',
      'events/concurrent-changes.test.ts',
      'events/shown-values.test.ts',
      'explanations/reply-templates.test.ts',
      'http/idempotency.test.ts',
      'http/idempotent-bounds.test.ts',
      'license-files/create-license-file.test.ts',
      'license-files/most-files.test.ts',
      'license-files/repeated-files.test.ts',
      'licenses/admin/add-note.test.ts',
      'licenses/admin/change-email.test.ts',
      'licenses/admin/end-session.test.ts',
      'licenses/admin/release-activation.test.ts',
      'licenses/admin/update-license.test.ts',
      'client-endpoints/damaged-rows.test.ts',
      'violations/violations.test.ts',
      'products/create-product.test.ts',
      'mail/mails.test.ts',
      'products/create-variant.test.ts',
      'products/update-product.test.ts',
      'products/update-variant.test.ts',
      'self-service/races.test.ts',
      'storage/full-pool.test.ts',
      'storefront/event-id.test.ts',
      'storefront/reversal.test.ts',
      'storefront/subscription.test.ts',
    ],
  },
  {
    name: 'nodes',
    sentence: 'What one node has answered holds on every other at once',
    files: ['client-endpoints/several-nodes.test.ts'],
  },
  {
    name: 'locks',
    sentence: 'A license that somebody keeps locked delays its own calls alone, and they are told to try again',
    files: ['client-endpoints/locked-license.test.ts'],
  },
  {
    name: 'lists',
    sentence: 'Lists are complete and in order, page after page',
    files: ['licenses/admin/list-licenses.test.ts', 'licenses/admin/list-licenses-across-products.test.ts'],
  },
  {
    name: 'tidying',
    sentence: 'Tidying marks what has lapsed, and never what somebody has renewed meanwhile',
    files: ['jobs/tidying.test.ts', 'jobs/tidying-races.test.ts'],
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
