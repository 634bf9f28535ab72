import { migration } from './migration.ts';

/**
 * Lists of refusals across licenses, and refused machines in searches. The lists are ordered by id, which begins with
 * the time of a row's first refusal: a repeat never changes the id, so no row moves between two pages. SQLite updates
 * each index on a column that a statement sets, even to the same value, so repeats set no column of these indexes. Only
 * the hostname may change with a repeat; a separate statement sets it when it differs.
 *
 * Older nodes still write rows without a product, and existing rows have none: tidying
 * (licensing/observed-calls/jobs.ts) adds it from the license, which keeps its product for ever. The operator's lists
 * contain these rows at once.
 */
export const listsOfRefusals = migration(
  51,
  'lists_of_refusals',
  ({ text }) => `
alter table kept_refusal add column product_id ${text};
create index kept_refusal_by_id on kept_refusal (refusal_id);
create index kept_refusal_by_product on kept_refusal (product_id, refusal_id) where product_id is not null;
create index kept_refusal_without_product on kept_refusal (refusal_id) where product_id is null;
create index kept_refusal_by_code on kept_refusal (code, refusal_id);
create index kept_refusal_by_fingerprint on kept_refusal (fingerprint, refusal_id) where fingerprint <> '';
create index kept_refusal_by_hostname on kept_refusal (lower(hostname), license_key) where hostname is not null;
`,
  'go on',
);
