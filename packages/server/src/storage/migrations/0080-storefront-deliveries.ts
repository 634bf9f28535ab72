import { migration } from './migration.ts';

/**
 * The storefront's own ids of applied events, per creator and type; kept for good, so that a late delivery acts once.
 * The operator's creator_id is ''. Nodes of the previous version ignore these ids, as they ignore the field.
 */
export const storefrontDeliveries = migration(
  80,
  'storefront_deliveries',
  ({ text, tableEnd }) => `
create table storefront_delivery (
  event_id ${text} not null,
  creator_id ${text} not null,
  type ${text} not null,
  product_id ${text} not null,
  purchase_id ${text},
  license_key ${text} not null,
  delivered_at ${text} not null,
  primary key (event_id, creator_id, type)
)${tableEnd};
`,
  'go on',
);
