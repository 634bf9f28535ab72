/**
 * The two views of license lists: licenses that expire soon, soonest first, and licenses under threat, gravest first.
 * Each reads a partial index, for all products at once or product by product.
 */
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense } from './listing-store.ts';

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

const expiring = (name: string, agreed: Readonly<Record<string, string>>, filter: string) =>
  new NamedStatement(
    name,
    ['expiresAt', 'licenseKey', 'limit', 'until', 'productId'],
    (dialect) =>
      `select ${COLUMNS} from license l ${indexScan(dialect, {
        agreed,
        cursor: { 'l.expires_at': ':expiresAt', 'l.license_key': ':licenseKey' },
        last: { 'l.expires_at': ':until' },
        filter: `and l.expires_at is not null ${filter}`,
        limit: ':limit',
        isRising: true,
      })}`,
  );

const listExpiring = expiring('license.list_expiring', { 'l.status_mark': "'active'" }, '');
const listExpiringOfProduct = expiring(
  'license.list_expiring_of_product',
  { 'l.product_id': ':productId' },
  "and l.status_mark = 'active'",
);

// Repeats the condition of the index, because PostgreSQL cannot infer it.
const threatened = (name: string, agreed: Readonly<Record<string, string>>, condition: string) =>
  new NamedStatement(
    name,
    ['threatLevel', 'createdAt', 'licenseKey', 'limit', 'minimum', 'productId'],
    (dialect) =>
      `select ${COLUMNS} from license l ${indexScan(dialect, {
        agreed,
        cursor: { 'l.threat_level': ':threatLevel', 'l.created_at': ':createdAt', 'l.license_key': ':licenseKey' },
        last: { 'l.threat_level': ':minimum' },
        filter: `and l.threat_level ${condition}`,
        limit: ':limit',
      })}`,
  );

const listThreatened = threatened('license.list_threatened', {}, '>= 1');
const listThreatenedOfProduct = threatened(
  'license.list_threatened_of_product',
  { 'l.product_id': ':productId' },
  '> 0',
);

/** The start of a page of licenses that expire soon: after this time and key. */
export type ExpiryPosition = Pick<ListedLicense, 'licenseKey'> & { readonly expiresAt: string };

/** The start of a page of licenses under threat: after this level, creation time and key. */
export type ThreatPosition = Pick<ListedLicense, 'threatLevel' | 'createdAt' | 'licenseKey'>;

/**
 * A page of active licenses that expire between two times, soonest first.
 *
 * @param productIds each once; null lists licenses of all products
 * @param until 24-character timestamp, inclusive
 */
export function listExpiringLicenses(
  sql: Sql,
  productIds: readonly string[] | null,
  after: ExpiryPosition,
  until: string,
  limit: number,
): Promise<readonly ListedLicense[]> {
  const page = productIds === null ? listExpiring : listExpiringOfProduct;
  const scans = (productIds ?? [null]).map(
    (productId): IndexScan<ListedLicense> =>
      (from, { expiresAt, licenseKey } = after as ListedLicense, most) =>
        page.all<ListedLicense>(from, { expiresAt, licenseKey, limit: most, until, productId }),
  );
  return mergeScans(sql, scans, soonestFirst, limit);
}

/**
 * A page of licenses with a threat level of `minimum` or higher, gravest first, within a level newest first.
 *
 * @param productIds each once; null lists licenses of all products
 */
export function listThreatenedLicenses(
  sql: Sql,
  productIds: readonly string[] | null,
  after: ThreatPosition,
  minimum: number,
  limit: number,
): Promise<readonly ListedLicense[]> {
  const page = productIds === null ? listThreatened : listThreatenedOfProduct;
  const scans = (productIds ?? [null]).map(
    (productId): IndexScan<ListedLicense> =>
      (from, { threatLevel, createdAt, licenseKey } = after as ListedLicense, most) =>
        page.all<ListedLicense>(from, { threatLevel, createdAt, licenseKey, limit: most, minimum, productId }),
  );
  return mergeScans(sql, scans, gravestFirst, limit);
}

/** Orders by expiry, which is never null in this view. */
function soonestFirst(one: ListedLicense, other: ListedLicense): number {
  const [first, second] = [one.expiresAt ?? '', other.expiresAt ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? -1 : 1;
}

const gravestFirst = fallingBy('threatLevel', 'createdAt', 'licenseKey');
