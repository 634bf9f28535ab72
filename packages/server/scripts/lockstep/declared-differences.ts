/** The differences between versions that are meant. Everything else that differs is reported. */

import { MAX_SESSIONS } from '../../src/access/console/change.ts';
import { HOUR_MS } from '../../src/ground/base/clock.ts';

/** A place of answers where versions may differ. */
export interface DeclaredDifference {
  /** Paths of endpoints or documents. */
  readonly path: RegExp;
  /** The place in the answer: `body.license.email`, `header etag`, or `status`; lists have `[]`. */
  readonly place: RegExp;
  /** Limits it to certain values; any by default. */
  readonly values?: { readonly here: RegExp; readonly beside: RegExp };
  readonly reason: string;
}

/**
 * Calls that are left out beside the commit 839b527 of November 2026, because their differences are meant and would
 * stand in all later lists of events: a sign-in soon after another with the same secret is no event of its own any
 * more, a machine that waits for a seat is no violation, and records hold no id that a caller gave to a write. Sign-ins
 * that end the oldest sessions of a secret are left out, because sessions that are over count until each version
 * removes them at its own moment.
 */
export const AVOIDED = {
  /** An endpoint that this version lacks. */
  besideVersionsWithout: '/createDestination',
  signInsWithinMs: HOUR_MS,
  signInsOfSecret: MAX_SESSIONS.ofSource - 1,
  /** Added to the seats of floating licenses, so that no machine waits. */
  seats: 100,
} as const;

/** Beside the same commit; CHANGELOG.md describes the changes. */
export const DECLARED_DIFFERENCES: readonly DeclaredDifference[] = [
  {
    path: /^\/(docs|openapi\.json|openapi-3\.0\.json)$/,
    place: /^/,
    reason: 'documents describe their own version',
  },
  {
    path: /^\/(listEvents|getOverview|getLicense)$/,
    place: /\.actor\.keyName$/,
    values: { here: /^null$/, beside: /./ },
    reason: 'creators do not see the names of the people of the operator',
  },
  {
    path: /^\/issueLicenseFile$/,
    place: /^body/,
    reason: 'a machine gets the same file again for a minute',
  },
  {
    path: /^\/issueLicenseFile$/,
    place: /^(status|header latchkey-code)$/,
    values: { here: /^(429|license_file_rate)$/, beside: /./ },
    reason: 'a machine gets ten files an hour',
  },
  {
    path: /^\/searchStudioOrders$/,
    place: /^(status|header latchkey-code|body)/,
    values: { here: /./, beside: /^(400|missing_fields|Provide code.*|false)$/ },
    reason: 'the operator may list all orders',
  },
  {
    path: /^\/searchEverything$/,
    place: /^body\.(hits\[\]|count)/,
    reason: 'the search finds more, and has another order',
  },
  {
    path: /^\/searchEverything$/,
    place: /^body\.error$/,
    values: { here: /20000 characters$/, beside: /320 characters$/ },
    reason: 'a whole mail may be pasted into the search',
  },
  {
    path: /^\/getOverview$/,
    place: /^body\.(totals|liveSessions|fullestPools)/,
    reason: 'licenses and sessions of small installations are counted at once',
  },
  {
    path: /^\/getOverview$/,
    place: /^body\.newestEvents/,
    reason: 'the newest events of a creator include those without a product',
  },
  {
    path: /^\/listLiveSessions$/,
    place: /^body\.(pools\[\]|count)$/,
    values: { here: /^0$/, beside: /^1$/ },
    reason: 'a license that is not floating has no live sessions',
  },
  {
    path: /^\/listConsoleSessions$/,
    place: /^body\.(sessions\[\]|count|nextCursor)$/,
    reason: 'sessions that are over take room on a page until each version removes them at its own moment',
  },
  {
    path: /^\/listConsoleSessions$/,
    place: /^body\.sessions\[\]\.lastSeenAt$/,
    reason: 'each version writes down the use of a session at its own moment, to five minutes',
  },
  {
    path: /^\/explainLicense$/,
    place: /\.remedies\[\]\.fields\.machineFingerprint$/,
    reason: 'the machine that seems to be the same is offered first',
  },
  {
    path: /^\/explainLicense$/,
    place: /\.(effect|text|title|explanation|summary)$/,
    reason: 'explanations are reworded',
  },
];
