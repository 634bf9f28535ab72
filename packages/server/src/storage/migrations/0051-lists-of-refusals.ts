import { migration } from './migration.ts';

/**
 * Lists of refusals across licenses, and refused machines in searches. The order of the lists is that of the ids, which
 * begin with the moment at which a row began: a repeat changes an id never, so it moves nothing between two pages, and
 * SQLite, which enters a row anew in each index on a column that a statement sets, whether its value differs or not, has
 * nothing to do in these. A name alone may change with a repeat, and is set apart from the rest, where it does.
 *
 * Older nodes go on writing rows without a product, and leave those that there are without one: tidying adds it, from the
 * license, which keeps its product for ever (jobs/tidying.ts). Lists for the operator have these rows at once.
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
