import { migration } from './migration.ts';

/**
 * The countries that each license was used from, so that a country leads to its licenses
 * ([decision 53](../../../../../docs/contributors/decisions/0053-a-country-leads-to-its-licenses.md)). A service writes
 * them once a minute, apart from any call. The rows of existing machines are made here.
 *
 * Nodes of the previous version write none of these rows. A license that only they serve enters with the first call of
 * a machine on a later day that a newer node answers.
 */
export const countriesOfLicenses = migration(
  98,
  'countries_of_licenses',
  ({ text, tableEnd, own }) => `
create table license_country (
  country ${text} not null,
  -- of the license, like the product: neither ever changes
  created_at ${text} not null,
  license_key ${text} not null,
  product_id ${text} not null,
  primary key (country, created_at, license_key)
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
insert into license_country (country, created_at, license_key, product_id)
  select distinct c.value, l.created_at, l.license_key, l.product_id
  from activation a join license l on l.license_key = a.license_key
    ${own({
      // Damaged countries are left out, as everywhere.
      sqlite: `join json_each(case when json_valid(a.countries) then a.countries else '[]' end) c
  where c.type = 'text' and c.value glob '[A-Z][A-Z]'`,
      postgres: `cross join lateral json_array_elements_text(
      case when a.countries ~ '^\\[("[A-Z]{2}",)*"[A-Z]{2}"\\]$' then a.countries else '[]' end::json) as c(value)
  where true`,
    })}
  on conflict (country, created_at, license_key) do nothing;
create index license_country_by_product on license_country (product_id, country, created_at, license_key);
`,
  'go on',
);
