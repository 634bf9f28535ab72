import { migration } from './migration.ts';

/**
 * Lists of a creator read only the rows of its own products and codes. An index that an operator created beforehand
 * (large tables take a while) is kept.
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
