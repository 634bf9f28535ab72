import { migration } from './migration.ts';

/** One row per change, written in the transaction of the change. Ids have the order of the changes. */
export const events = migration(
  16,
  'events',
  ({ text, integer, tableEnd, own }) => `
create table event (
  event_id ${text} not null primary key,
  license_key ${text},
  -- the place of the change among those of its license, from 1
  license_number ${integer},
  type ${text} not null,
  -- whose the product was when it happened
  creator_id ${text},
  product_id ${text},
  -- what was changed where that is not the license itself
  subject ${text},
  actor ${text} not null,
  actor_name ${text},
  request_id ${text},
  occurred_at ${text} not null,
  -- JSON objects of the fields that differ
  before_facts ${text} not null,
  after_facts ${text} not null
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
create index event_by_license on event (license_key, event_id) where license_key is not null;
create index event_by_product on event (product_id, event_id) where product_id is not null;
create index event_by_request on event (request_id, event_id) where request_id is not null;
-- how many events a license has: the number of the last one
alter table license add column event_count ${integer} not null default 0;
`,
);
