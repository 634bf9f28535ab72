create table product (
  product_id text collate "C" not null primary key,
  name text collate "C" not null,
  creator_id text collate "C" not null,
  status text collate "C" not null,
  created_at text collate "C" not null,
  updated_at text collate "C" not null
);
create index product_by_creator on product (creator_id, created_at, product_id);
create index product_by_creator_status on product (creator_id, status, created_at, product_id);
create index product_by_status on product (status, created_at, product_id);

create table variant (
  variant_id text collate "C" not null primary key,
  product_id text collate "C" not null,
  name text collate "C" not null,
  license_type text collate "C" not null,
  max_machines bigint not null,
  max_concurrent bigint,
  default_trial_days bigint,
  duration_days bigint,
  -- smallest currency unit, as decimal text: the specification says number
  price text collate "C",
  active bigint not null,
  unique (product_id, name)
);
