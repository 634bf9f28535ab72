/**
 * The query cache: the key of each read, and the reads that each write makes stale. A read is cached by path and
 * request, so that two places with the same request share one reply.
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Path, RequestOf } from './contract.ts';

/** The cache key of a read. */
export function keyOf<At extends Path>(path: At, request: RequestOf<At>): QueryKey {
  return [path, request];
}

/** Reads that show licenses and their machines. */
const LICENSES: readonly Path[] = [
  '/getLicense',
  '/listLicenses',
  '/findLicenses',
  '/explainLicense',
  '/getCustomer',
  '/listLiveSessions',
  '/listViolations',
  '/listRefusals',
  '/listEvents',
  '/getOverview',
];

const CATALOGUE: readonly Path[] = ['/listProducts', '/listVariants', '/listCreators', '/listEvents'];
const CODES: readonly Path[] = ['/listDiscountCodes', '/listRedemptions', '/listCreators', '/listEvents'];
const ORDERS: readonly Path[] = ['/listStudioOrders', '/searchStudioOrders', '/getStudioOrder', '/listEvents'];
const KEYS: readonly Path[] = [
  '/listApiKeys',
  '/listCreators',
  '/listOperatorKeys',
  '/listConsoleSessions',
  '/listEvents',
];

const DESTINATIONS: readonly Path[] = [
  '/listDestinations',
  '/getDestination',
  '/listDeliveries',
  '/listDeliveryAttempts',
  '/listEvents',
];

const SHOPS: readonly Path[] = [
  '/listConnectors',
  '/listShopEvents',
  '/getShopEvent',
  '/previewShopEvent',
  '/listEvents',
];

/** The reads that each write makes stale. A write that is not listed changes nothing that the console reads. */
const STALE_AFTER: { readonly [At in Path]?: readonly Path[] } = {
  '/createLicense': LICENSES,
  '/updateLicense': LICENSES,
  '/revokeLicense': LICENSES,
  '/reinstateLicense': LICENSES,
  '/resolveLicense': LICENSES,
  '/resetActivations': LICENSES,
  '/liftActivationLimit': LICENSES,
  '/releaseActivation': LICENSES,
  '/adjustUsage': LICENSES,
  '/endSession': LICENSES,
  '/addNote': ['/getLicense', '/getCustomer', '/listEvents', '/getOverview'],
  '/deleteNote': ['/getLicense', '/getCustomer', '/listEvents', '/getOverview'],
  '/changeEmail': LICENSES,
  '/forgetCustomer': [...LICENSES, ...ORDERS, '/listMails', '/listRedemptions', '/searchEverything'],
  '/createLicenseFile': ['/listLicenseFiles', '/getLicense', '/listEvents'],
  '/createProduct': CATALOGUE,
  '/updateProduct': CATALOGUE,
  '/createVariant': CATALOGUE,
  '/updateVariant': CATALOGUE,
  '/createDiscountCode': CODES,
  '/updateDiscountCode': CODES,
  '/deleteDiscountCode': CODES,
  '/createStudioOrder': ORDERS,
  '/createApiKey': KEYS,
  '/revokeApiKey': KEYS,
  '/createOperatorKey': KEYS,
  '/revokeOperatorKey': KEYS,
  '/createDestination': DESTINATIONS,
  '/updateDestination': [...DESTINATIONS, '/previewEvent'],
  '/pauseDestination': DESTINATIONS,
  '/resumeDestination': DESTINATIONS,
  '/rotateDestinationSecret': DESTINATIONS,
  '/deleteDestination': ['/listDestinations', '/listEvents'],
  '/testDestination': DESTINATIONS,
  '/resendEvents': DESTINATIONS,
  '/replayEvents': DESTINATIONS,
  '/createConnector': SHOPS,
  '/updateConnector': SHOPS,
  '/deleteConnector': SHOPS,
  '/decideShopEvent': [...SHOPS, ...LICENSES],
  '/replayShopEvents': SHOPS,
  '/mailLicense': ['/getCustomer', '/listMails'],
  '/sendReply': ['/getCustomer', '/getLicense', '/listMails'],
  '/saveReplyTemplate': ['/listReplyTemplates', '/listEvents'],
  '/deleteReplyTemplate': ['/listReplyTemplates', '/listEvents'],
  '/updateBrand': ['/getBrand', '/listEvents'],
  '/endConsoleSession': ['/listConsoleSessions'],
};

/** The reads that a write to a path makes stale. */
export function staleAfter(path: Path): readonly Path[] {
  return STALE_AFTER[path] ?? [];
}

/** Refetches the stale reads on the screen; the others are read when they are shown next. */
export async function refreshAfter(client: QueryClient, path: Path): Promise<void> {
  const stale = new Set<string>(staleAfter(path));
  await client.invalidateQueries({ predicate: ({ queryKey: [read] }) => stale.has(String(read)) });
}
