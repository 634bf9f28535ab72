import { migration } from './migration.ts';

/** The operator lists the orders of all creators, newest first. An order is rare, and its entry is at the end. */
export const allStudioOrders = migration(
  99,
  'all_studio_orders',
  () => 'create index studio_order_by_creation on studio_order (created_at, studio_order_id);\n',
  'go on',
);
