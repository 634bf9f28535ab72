-- one row per purchaseId that the storefront reported: what two deliveries of one purchase queue on
create table purchase (
  purchase_id text collate "C" not null primary key,
  first_seen text collate "C" not null
);

-- what the storefront reported and what became of it, for the support desk; amounts are decimal text collate "C"
create table storefront_event (
  event_id text collate "C" not null primary key,
  type text collate "C" not null,
  license_key text collate "C" not null,
  purchase_id text collate "C",
  email text collate "C" not null,
  product_id text collate "C" not null,
  amount text collate "C",
  currency text collate "C",
  received_at text collate "C" not null
);
create index storefront_event_by_license on storefront_event (license_key, received_at);
