import { migration } from './migration.ts';

/** Products and the variants they are sold in. */
export const products = migration(
  2,
  'products',
  ({ text, integer, tableEnd }) => `
create table product (
  product_id ${text} not null primary key,
  name ${text} not null,
  creator_id ${text} not null,
  status ${text} not null,
  created_at ${text} not null,
  updated_at ${text} not null
)${tableEnd};
create index product_by_creator on product (creator_id, created_at, product_id);
create index product_by_creator_status on product (creator_id, status, created_at, product_id);
create index product_by_status on product (status, created_at, product_id);

create table variant (
  variant_id ${text} not null primary key,
  product_id ${text} not null,
  name ${text} not null,
  license_type ${text} not null,
  max_machines ${integer} not null,
  max_concurrent ${integer},
  default_trial_days ${integer},
  duration_days ${integer},
  -- smallest currency unit, as decimal text, because it may be any number
  price ${text},
  active ${integer} not null,
  unique (product_id, name)
)${tableEnd};
`,
);
