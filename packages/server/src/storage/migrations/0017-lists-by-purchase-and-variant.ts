import { migration } from './migration.ts';

/**
 * Licenses are listed by purchase and by variant. An index that somebody made beforehand (large tables take a while) is
 * taken as it is. They are on expressions, so that no look-up of the one license that was sold takes them: it would pass
 * over what other creators call by the same purchaseId, or over all that was sold of a variant.
 */
export const listsByPurchaseAndVariant = migration(
  17,
  'lists_by_purchase_and_variant',
  () => `
create index if not exists license_by_purchase_creation
  on license ((purchase_id || ''), created_at, license_key) where purchase_id is not null;
create index if not exists license_by_purchase_product
  on license ((purchase_id || ''), product_id, created_at, license_key) where purchase_id is not null;
create index if not exists license_by_variant on license ((variant || ''), created_at, license_key);
create index if not exists license_by_variant_status on license ((variant || ''), status_mark, created_at, license_key);
create index if not exists license_by_variant_product on license ((variant || ''), product_id, created_at, license_key);
create index if not exists license_by_variant_product_status
  on license ((variant || ''), product_id, status_mark, created_at, license_key);
`,
);
