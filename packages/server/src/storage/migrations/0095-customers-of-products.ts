import { migration } from './migration.ts';

/**
 * Lists of a creator's customers read the addresses of one product in order, each once
 * ([decision 52](../../../../../docs/contributors/decisions/0052-a-customer-is-an-address.md)). No call of an app
 * changes an indexed column.
 */
export const customersOfProducts = migration(
  95,
  'customers_of_products',
  () => 'create index if not exists license_by_product_email on license (product_id, email_folded);\n',
  'go on',
);
