/**
 * The list of licenses whose addresses begin with a text, in the order of the addresses and oldest first within one. It
 * reads an index from the cursor, for all products at once or product by product.
 */
import { foldEmail } from '../../ground/base/typed-text.ts';
import { type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { afterBeginning, type Sql } from '../../storage/contract/storage.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense } from './listing-store.ts';

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

const list = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(
    name,
    ['email', 'createdAt', 'licenseKey', 'limit', 'until', 'product'],
    (dialect) =>
      `select ${COLUMNS} from license l ${indexScan(dialect, {
        agreed,
        cursor: { 'l.email_folded': ':email', 'l.created_at': ':createdAt', 'l.license_key': ':licenseKey' },
        last: { 'l.email_folded': ':until' },
        limit: ':limit',
        isRising: true,
      })}`,
  );

const listAll = list('license.list_beginning', {});
const listOfProduct = list('license.list_beginning_of_product', { "l.product_id || ''": ':product' });

/** The start of a page: after this address in the form for comparison, creation time and key. */
export interface AddressPosition {
  readonly email: string;
  readonly createdAt: string;
  readonly licenseKey: string;
}

/** The position of a license in the list. */
export function addressPositionOf({ email, createdAt, licenseKey }: ListedLicense): AddressPosition {
  return { email: foldEmail(email), createdAt, licenseKey };
}

/**
 * A page of licenses whose addresses begin with a text.
 *
 * @param productIds each once; null lists licenses of all products
 * @param beginning in any case
 * @param after undefined for the first page
 */
export function listLicensesByBeginning(
  sql: Sql,
  productIds: readonly string[] | null,
  beginning: string,
  after: AddressPosition | undefined,
  limit: number,
): Promise<readonly ListedLicense[]> {
  const page = productIds === null ? listAll : listOfProduct;
  const email = foldEmail(beginning);
  const start = after === undefined || after.email < email ? { email, createdAt: '', licenseKey: '' } : after;
  const scans = (productIds ?? [null]).map(
    (product): IndexScan<ListedLicense> =>
      (from, last, most) =>
        page.all<ListedLicense>(from, {
          ...(last === undefined ? start : addressPositionOf(last)),
          ...{ limit: most, until: afterBeginning(email), product },
        }),
  );
  return mergeScans(sql, scans, byAddress, limit);
}

/** The order of both databases, which compare bytes. */
function byAddress(one: ListedLicense, other: ListedLicense): number {
  const [first, second] = [one, other].map(addressPositionOf) as [AddressPosition, AddressPosition];
  const addresses = Buffer.compare(Buffer.from(first.email), Buffer.from(second.email));
  if (addresses !== 0) return addresses;
  if (first.createdAt !== second.createdAt) return first.createdAt < second.createdAt ? -1 : 1;
  return first.licenseKey === second.licenseKey ? 0 : first.licenseKey < second.licenseKey ? -1 : 1;
}
