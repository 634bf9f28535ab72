-- one row per purchaseId that the storefront reported: what two deliveries of one purchase queue on
create table purchase (
  purchase_id text not null primary key,
  first_seen text not null
) strict;

-- what the storefront reported and what became of it, for the support desk; amounts are decimal text
create table storefront_event (
  event_id text not null primary key,
  type text not null,
  license_key text not null,
  purchase_id text,
  email text not null,
  product_id text not null,
  amount text,
  currency text,
  received_at text not null
) strict;
create index storefront_event_by_license on storefront_event (license_key, received_at);
