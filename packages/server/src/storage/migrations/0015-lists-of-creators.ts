import { migration } from './migration.ts';

/**
 * What a creator lists is found among the rows of its own products and codes alone, whatever else is stored. An index
 * that somebody made beforehand (large tables take a while) is taken as it is.
 */
export const listsOfCreators = migration(
  15,
  'lists_of_creators',
  () => `
create index if not exists license_by_email_product_status
  on license (email_folded, product_id, status_mark, created_at, license_key);
create index if not exists license_by_product_lapse
  on license (product_id, expires_at) where status_mark = 'active' and expires_at is not null;
create index if not exists discount_code_by_creator_product
  on discount_code (creator_id, product_id, created_at, code_folded);
`,
);
