/**
 * The two views of license lists: licenses that expire soon, soonest first, and licenses under threat, gravest first.
 * Each reads a partial index, for all products at once or product by product.
 */
import { type IndexScan, mergeScans } from '../endpoint/merged-scans.ts';
import { indexScan } from '../endpoint/page.ts';
import { type Sql, statement, type Value } from '../storage/storage.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense } from './listing-store.ts';

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

const expiring = (name: string, agreed: Readonly<Record<string, string>>, filter: string) =>
  statement(
    name,
    (dialect) =>
      `select ${COLUMNS} from license l ${indexScan(dialect, {
        agreed,
        cursor: { 'l.expires_at': '$1', 'l.license_key': '$2' },
        last: { 'l.expires_at': '$4' },
        filter: `and l.expires_at is not null ${filter}`,
        limit: '$3',
        isRising: true,
      })}`,
  );

const listExpiring = expiring('license.list_expiring', { 'l.status_mark': "'active'" }, '');
const listExpiringOfProduct = expiring(
  'license.list_expiring_of_product',
  { 'l.product_id': '$5' },
  "and l.status_mark = 'active'",
);

// Repeats the condition of the index, because PostgreSQL cannot infer it.
const threatened = (name: string, agreed: Readonly<Record<string, string>>, condition: string) =>
  statement(
    name,
    (dialect) =>
      `select ${COLUMNS} from license l ${indexScan(dialect, {
        agreed,
        cursor: { 'l.threat_level': '$1', 'l.created_at': '$2', 'l.license_key': '$3' },
        last: { 'l.threat_level': '$5' },
        filter: `and l.threat_level ${condition}`,
        limit: '$4',
      })}`,
  );

const listThreatened = threatened('license.list_threatened', {}, '>= 1');
const listThreatenedOfProduct = threatened('license.list_threatened_of_product', { 'l.product_id': '$6' }, '> 0');

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
  const scans = (productIds ?? [null]).map((productId): IndexScan<ListedLicense> => {
    const values: Value[] = productId === null ? [until] : [until, productId];
    const page = productId === null ? listExpiring : listExpiringOfProduct;
    return (from, last = after as ListedLicense, most) =>
      from.all<ListedLicense>(page, last.expiresAt, last.licenseKey, most, ...values);
  });
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
  const scans = (productIds ?? [null]).map((productId): IndexScan<ListedLicense> => {
    const values: Value[] = productId === null ? [minimum] : [minimum, productId];
    const page = productId === null ? listThreatened : listThreatenedOfProduct;
    return (from, last = after as ListedLicense, most) =>
      from.all<ListedLicense>(page, last.threatLevel, last.createdAt, last.licenseKey, most, ...values);
  });
  return mergeScans(sql, scans, mostSevereFirst, limit);
}

/** Orders by expiry, which is never null in this view. */
function soonestFirst(one: ListedLicense, other: ListedLicense): number {
  const [first, second] = [one.expiresAt ?? '', other.expiresAt ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? -1 : 1;
}

function mostSevereFirst(one: ListedLicense, other: ListedLicense): number {
  if (one.threatLevel !== other.threatLevel) return other.threatLevel - one.threatLevel;
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  if (one.licenseKey === other.licenseKey) return 0;
  return one.licenseKey < other.licenseKey ? 1 : -1;
}
