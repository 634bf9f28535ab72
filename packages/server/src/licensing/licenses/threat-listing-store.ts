/**
 * The list of licenses under threat, gravest first. It reads a partial index, for all products at once or product by
 * product.
 */
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense } from './listing-store.ts';

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

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

/** The start of a page of licenses under threat: after this level, creation time and key. */
export type ThreatPosition = Pick<ListedLicense, 'threatLevel' | 'createdAt' | 'licenseKey'>;

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

const gravestFirst = fallingBy('threatLevel', 'createdAt', 'licenseKey');
