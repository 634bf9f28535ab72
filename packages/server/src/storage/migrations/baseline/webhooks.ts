import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** Destinations, deliveries, notices of expiry. */
export const webhooksTables = ({ text, integer, tableEnd }: SchemaDialect): string => `
create table destination (
  -- 'dst_' and an ordered UUID
  destination_id ${text} not null primary key,
  -- empty for the operator
  creator_id ${text} not null,
  url ${text} not null,
  description ${text},
  -- JSON: types, prefixes such as license.*, or *
  types ${text} not null,
  -- JSON; 'null' for all products
  product_ids ${text} not null,
  include_license_keys ${integer} not null,
  include_personal_data ${integer} not null,
  requests_per_second ${integer} not null,
  -- sealed (platform/sealing/seal.ts)
  secret ${text} not null,
  -- sealed; both null unless a rotation overlaps
  previous_secret ${text},
  previous_ends_at ${text},
  -- active, paused, disabled
  state ${text} not null,
  state_reason ${text},
  created_at ${text} not null,
  updated_at ${text} not null
)${tableEnd};
create index destination_by_creation on destination (created_at, destination_id);
create index destination_by_creator on destination (creator_id, created_at, destination_id);
create index destination_by_state on destination (state, destination_id);

-- one row: each change of a destination holds its lock and raises its version by one
create table destination_turn (
  turn ${text} not null primary key,
  version ${integer} not null
)${tableEnd};

-- the last 1,000 changes, by the version that each made
create table destination_change (
  version ${integer} not null primary key,
  destination_id ${text} not null
)${tableEnd};

create table destination_progress (
  destination_id ${text} not null primary key,
  -- everything up to this position of the feed is settled, or waits in delivery
  position ${integer} not null,
  failing_since ${text},
  failures ${integer} not null,
  next_try_at ${text},
  last_success_at ${text},
  last_failure_at ${text},
  last_error ${text}
)${tableEnd};
create index destination_progress_failing on destination_progress (destination_id) where failing_since is not null;

-- The API keys that created or changed each destination, so that a leaked key can be revoked together with its
-- destinations (docs/contributors/decisions/0043-what-a-leaked-key-leaves-behind.md).
create table destination_key (
  destination_id ${text} not null,
  -- hash of an API key, revoked or not
  key_hash ${text} not null,
  primary key (destination_id, key_hash)
)${tableEnd};
create index destination_key_by_key on destination_key (key_hash, destination_id);

-- replays of past events to a destination
create table event_replay (
  destination_id ${text} not null primary key,
  -- an ordered UUID
  replay_id ${text} not null,
  since ${text} not null,
  -- null for the time of the request
  until ${text},
  -- JSON; 'null' for all types of the destination
  types ${text} not null,
  -- every event up to this position of the feed is settled, or waits in delivery
  position ${integer} not null,
  to_position ${integer} not null,
  -- events found so far
  sent ${integer} not null,
  asked_at ${text} not null
)${tableEnd};

-- events that were tried and not delivered: waiting or failed
create table delivery (
  destination_id ${text} not null,
  event_id ${text} not null,
  position ${integer} not null,
  license_key ${text},
  state ${text} not null,
  attempts ${integer} not null,
  due_at ${text} not null,
  first_at ${text} not null,
  last_at ${text} not null,
  last_status ${integer},
  last_error ${text},
  -- change, resend or replay
  cause ${text} not null default 'change',
  primary key (destination_id, event_id)
)${tableEnd};
create index delivery_by_due on delivery (destination_id, state, due_at, event_id);

create table delivery_attempt (
  destination_id ${text} not null,
  -- an ordered UUID
  attempt_id ${text} not null,
  event_id ${text} not null,
  type ${text} not null,
  license_key ${text},
  at ${text} not null,
  duration_ms ${integer} not null,
  outcome ${text} not null,
  status ${integer},
  primary key (destination_id, attempt_id)
)${tableEnd};
create index delivery_attempt_by_age on delivery_attempt (at, destination_id, attempt_id);
create index delivery_attempt_by_event on delivery_attempt (event_id, attempt_id);

-- requested test events, kept for an hour because their number is limited
create table delivery_test (
  destination_id ${text} not null,
  event_id ${text} not null,
  type ${text} not null,
  asked_at ${text} not null,
  -- null while it waits
  attempted_at ${text},
  primary key (destination_id, event_id)
)${tableEnd};
create index delivery_test_waiting on delivery_test (asked_at, event_id) where attempted_at is null;
create index delivery_test_by_age on delivery_test (asked_at);

-- recorded notices of licenses that expire and updates that end (docs/contributors/decisions/0049-notices-of-expiring-licenses.md)
create table expiry_notice (
  license_key ${text} not null,
  -- 'expired', or the days before the expiry: '7d', or before the end of the updates: 'updates 7d'
  kind ${text} not null,
  -- the end that the notice is about
  expires_at ${text} not null,
  recorded_at ${text} not null,
  primary key (license_key, kind, expires_at)
)${tableEnd};
create index expiry_notice_by_expiry on expiry_notice (expires_at);

-- every license up to this end and key has been examined for notices of the kind
create table expiry_notice_position (
  kind ${text} not null primary key,
  expires_at ${text} not null,
  license_key ${text} not null
)${tableEnd};
`;
