/**
 * What is kept of reads, and which of it each write makes stale. A read is kept by its path and its request, so that two
 * places that ask the same share one answer.
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Path, RequestOf } from './contract.ts';

/** The name of a kept read. */
export function keyOf<At extends Path>(path: At, request: RequestOf<At>): QueryKey {
  return [path, request];
}

/** Reads that show licenses and their machines. */
const LICENSES = [
  '/getLicense',
  '/listLicenses',
  '/explainLicense',
  '/listLiveSessions',
  '/listViolations',
  '/listRefusals',
  '/listEvents',
  '/getOverview',
] as const satisfies readonly Path[];

const CATALOGUE = ['/listProducts', '/listVariants', '/listEvents'] as const satisfies readonly Path[];
const CODES = ['/listDiscountCodes', '/listRedemptions', '/listEvents'] as const satisfies readonly Path[];
const ORDERS = [
  '/listStudioOrders',
  '/searchStudioOrders',
  '/getStudioOrder',
  '/listEvents',
] as const satisfies readonly Path[];
const KEYS = [
  '/listApiKeys',
  '/listOperatorKeys',
  '/listConsoleSessions',
  '/listEvents',
] as const satisfies readonly Path[];

/** The reads that a write makes stale. A write that is not named here changes nothing that the console reads. */
const STALE_AFTER: { readonly [At in Path]?: readonly Path[] } = {
  '/createLicense': LICENSES,
  '/updateLicense': LICENSES,
  '/revokeLicense': LICENSES,
  '/reinstateLicense': LICENSES,
  '/resolveLicense': LICENSES,
  '/resetActivations': LICENSES,
  '/liftActivationLimit': LICENSES,
  '/releaseActivation': LICENSES,
  '/endSession': LICENSES,
  '/addNote': ['/getLicense', '/listEvents', '/getOverview'],
  '/changeEmail': LICENSES,
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
  '/endConsoleSession': ['/listConsoleSessions'],
};

/** The reads that a write to a path makes stale. */
export function staleAfter(path: Path): readonly Path[] {
  return STALE_AFTER[path] ?? [];
}

/** Reads anew what is on the screen of that which a write made stale; the rest is read when it is next shown. */
export async function refreshAfter(client: QueryClient, path: Path): Promise<void> {
  const stale = new Set<string>(staleAfter(path));
  await client.invalidateQueries({ predicate: ({ queryKey: [read] }) => stale.has(String(read)) });
}
