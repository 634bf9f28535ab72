/** The table of countries that licenses were used from. */
import { COUNTRY_CODES } from '../../ground/base/country-code.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { Table, textColumn } from '../../storage/contract/table.ts';
import type { CountrySighting } from './country-sightings.ts';

const sightingTable = new Table<CountrySighting>('license_country', {
  country: textColumn('country'),
  licenseKey: textColumn('license_key'),
});

// In the order of the key, so that nodes that add the same rows cannot deadlock.
const add = statement(
  'license_country.add',
  (dialect) => `insert into license_country (country, created_at, license_key, product_id)
    select r.country, l.created_at, l.license_key, l.product_id
    from ${sightingTable.unfold(dialect, '$1', sightingTable.fields)} r
    join license l on l.license_key = r.license_key
    where true
    order by r.country, l.created_at, l.license_key
    on conflict (country, created_at, license_key) do nothing`,
);

/** Adds the countries of licenses that are not there yet. Unknown licenses are skipped. */
export async function addCountriesOfLicenses(tx: Tx, sightings: readonly CountrySighting[]): Promise<void> {
  if (sightings.length > 0) await tx.run(add, sightingTable.rows(sightings, sightingTable.fields));
}

// Looks each country up, because an index by license would cost a page of its own for each row.
const listOfLicense = statement(
  'license_country.list_of_license',
  (dialect) => `select c.country as "country" from license_country c
    where c.country ${dialect.among('$1')} and c.created_at = $2 and c.license_key = $3 order by c.country`,
);

/** The countries that a license was used from, by code. */
export async function listCountriesOfLicense(
  sql: Sql,
  { licenseKey, createdAt }: { readonly licenseKey: string; readonly createdAt: string },
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly country: string }>(listOfLicense, listOf(COUNTRY_CODES), createdAt, licenseKey);
  return rows.map(({ country }) => country);
}
