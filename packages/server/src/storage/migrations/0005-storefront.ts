import { migration } from './migration.ts';

/**
 * Purchases that the storefront reported: a row per purchaseId, which two deliveries of one purchase queue on; and
 * events.
 */
export const storefront = migration(
  5,
  'storefront',
  ({ text, tableEnd }) => `
create table purchase (
  purchase_id ${text} not null primary key,
  first_seen ${text} not null
)${tableEnd};

-- what the storefront reported and what became of it, for the support desk; amounts are decimal text
create table storefront_event (
  event_id ${text} not null primary key,
  type ${text} not null,
  license_key ${text} not null,
  purchase_id ${text},
  email ${text} not null,
  product_id ${text} not null,
  amount ${text},
  currency ${text},
  received_at ${text} not null
)${tableEnd};
create index storefront_event_by_license on storefront_event (license_key, received_at);
`,
);
