import { migration } from './migration.ts';

/**
 * Lists of licenses by purchase and by variant. An index that an operator created beforehand (large tables take a
 * while) is kept. The indexes are on expressions, so that the look-up of a single sold license does not use them: it
 * would read the purchases of other creators with the same purchaseId, or all sales of a variant.
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
