/**
 * Lists of licenses that were used from a country, newest first. Each reads the index of licenses by country, for all
 * products at once or product by product, so a page costs the same for any number of licenses.
 */
import { type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense, newestFirst } from './listing-store.ts';

const COLUMNS = licenseTable.select('l', LISTED_FIELDS);

const list = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(
    name,
    ['createdAt', 'id', 'limit', 'country', 'product'],
    (dialect) =>
      `select ${COLUMNS} from license_country c join license l on l.license_key = c.license_key
       ${pageAlong(dialect, 'c', 'license_key', agreed)}`,
  );

const listOfCountry = list('license_country.list', { country: ':country' });
const listOfProductAndCountry = list('license_country.list_of_product', {
  product_id: ':product',
  country: ':country',
});

/**
 * A page of licenses that were used from a country, newest first.
 *
 * @param productIds each once; null lists licenses of all products
 * @param country two letters in upper case
 */
export function listLicensesOfCountry(
  sql: Sql,
  productIds: readonly string[] | null,
  country: string,
  after: PageCursor,
  limit: number,
): Promise<readonly ListedLicense[]> {
  const page = productIds === null ? listOfCountry : listOfProductAndCountry;
  const scans = (productIds ?? [null]).map(
    (product): IndexScan<ListedLicense> =>
      (from, last, most) => {
        const start = last === undefined ? after : { createdAt: last.createdAt, id: last.licenseKey };
        return page.all<ListedLicense>(from, { ...start, limit: most, country, product });
      },
  );
  return mergeScans(sql, scans, newestFirst, limit);
}
