-- A row for each change, written in the transaction that changes. Ids order as changes do.
create table event (
  event_id text collate "C" not null primary key,
  license_key text collate "C",
  -- the place of the change among those of its license, from 1
  license_number bigint,
  type text collate "C" not null,
  -- whose the product was when it happened
  creator_id text collate "C",
  product_id text collate "C",
  -- what was changed where that is not the license itself
  subject text collate "C",
  actor text collate "C" not null,
  actor_name text collate "C",
  request_id text collate "C",
  occurred_at text collate "C" not null,
  -- JSON objects of the fields that differ
  before_facts text collate "C" not null,
  after_facts text collate "C" not null
);
create index event_by_license on event (license_key, event_id) where license_key is not null;
create index event_by_product on event (product_id, event_id) where product_id is not null;
create index event_by_request on event (request_id, event_id) where request_id is not null;
-- how many events a license has: the number of the last one
alter table license add column event_count bigint not null default 0;
