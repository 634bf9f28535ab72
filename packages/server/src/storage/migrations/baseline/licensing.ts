import type { SchemaDialect } from '../../contract/engine-differences.ts';
import { endsOf } from './ends.ts';
import { DOMAIN, LAST_NAME, ORDER_NUMBER } from './searched-parts.ts';
import { BOARD_INDEXES } from './violation-boards.ts';

/** Licenses, machines, violations, keys, products, license files, observed calls. */
export function licensingTables(dialect: SchemaDialect): string {
  const { text, integer, tableEnd } = dialect;
  const { byKey, spareRoom } = endsOf(dialect);
  return `
-- Every table of a license begins its key with license_key.
create table license (
  license_key ${text} not null primary key,
  email ${text} not null,
  email_folded ${text} not null,
  product_id ${text} not null,
  variant ${text} not null,
  license_type ${text} not null,
  -- the reason of the revocation: plain, refund, fraud, chargeback, replaced; null while it is not revoked
  revocation ${text},
  -- the status as of the last write or tidying; it serves the indexes of lists and decides nothing
  status_mark ${text} not null,
  max_machines ${integer} not null,
  max_concurrent ${integer},
  created_at ${text} not null,
  purchased_at ${text} not null,
  expires_at ${text},
  -- the moment from which the license is refused: expires_at and the grace
  ends_at ${text},
  grace_days ${integer} not null default 0,
  updates_until ${text},
  -- JSON object: the terms of the license itself that are set; null without any
  terms ${text},
  discount_code ${text},
  purchase_id ${text},
  bundle_id ${text},
  unlocked_products ${text} not null,
  threat_level ${integer} not null,
  dispute_reason ${text},
  -- counts, changed under the lock of this row only: activations, and floating sessions that are not released yet
  machines_used ${integer} not null,
  sessions_held ${integer} not null,
  -- JSON list of milliseconds: the newest activation attempts, at most as many as the hourly limit
  attempts ${text} not null,
  -- JSON object: the countries of the last day, each with the time of its last call
  countries_seen ${text} not null,
  -- 1 if the license has a purchase and the catalogue knew its product when it was issued. A product never leaves the
  -- catalogue, so all licenses of an unknown product have 0, and no license of a creator's product is among them.
  in_catalogue ${integer} not null default 0,
  -- the number of its last event, which is the count of its events
  event_count ${integer} not null default 0,
  -- the end of the chain of its events, in which each event names the one before
  last_event_id ${text},
  -- an imported key in the form in which it was issued; null if that equals license_key
  issued_key ${text},
  -- JSON object: texts of the vendor by name; null without any
  metadata ${text},
  replaces ${text},
  replaced_by ${text}
)${tableEnd}${spareRoom(50)};
create index license_by_creation on license (created_at, license_key);
create index license_by_status on license (status_mark, created_at, license_key);
create index license_by_product on license (product_id, created_at, license_key);
create index license_by_product_status on license (product_id, status_mark, created_at, license_key);
create index license_by_email on license (email_folded, created_at, license_key);
create index license_by_email_status on license (email_folded, status_mark, created_at, license_key);
create index license_by_email_product on license (email_folded, product_id, created_at, license_key);
create index license_by_purchase
  on license (purchase_id, in_catalogue, product_id, created_at, license_key) where purchase_id is not null;
create index license_by_email_product_status
  on license (email_folded, product_id, status_mark, created_at, license_key);
-- On expressions, so that the look-up of one sold license does not use them: it would read the sales of others.
create index license_by_purchase_creation
  on license ((purchase_id || ''), created_at, license_key) where purchase_id is not null;
create index license_by_purchase_product
  on license ((purchase_id || ''), product_id, created_at, license_key) where purchase_id is not null;
create index license_by_variant on license ((variant || ''), created_at, license_key);
create index license_by_variant_status on license ((variant || ''), status_mark, created_at, license_key);
create index license_by_variant_product on license ((variant || ''), product_id, created_at, license_key);
create index license_by_variant_product_status
  on license ((variant || ''), product_id, status_mark, created_at, license_key);
-- The two conditions are the same in two wordings, so that a list of one product cannot take the index of all.
create index license_by_threat on license (threat_level, created_at, license_key) where threat_level >= 1;
create index license_by_product_threat
  on license (product_id, threat_level, created_at, license_key) where threat_level > 0;
-- licenses of each status by expires_at; licenses whose end has passed, by ends_at
create index license_by_expiry on license (status_mark, expires_at, license_key) where expires_at is not null;
-- On an expression, so that a list of one product cannot take the index of all.
create index license_by_product_expiry
  on license (product_id, (status_mark || ''), expires_at, license_key) where expires_at is not null;
create index license_by_end on license (status_mark, ends_at, license_key) where ends_at is not null;
create index license_by_product_end
  on license (product_id, ends_at, license_key) where status_mark = 'active' and ends_at is not null;
-- licenses whose updates end soon
create index license_by_updates on license (updates_until, license_key) where updates_until is not null;
-- the addresses of one product in order, each once or with its licenses
-- (docs/contributors/decisions/0052-a-customer-is-an-address.md); on an expression, so that the look-up of one address
-- does not use it
create index license_by_product_email on license ((product_id || ''), email_folded, created_at, license_key);
-- searches find a license by the end of its key, which lists show
create index license_by_key_end on license (substr(license_key, length(license_key) - 4), license_key);
-- and by the domain of its address, by the last name in it, and by the number at the end of its purchase
create index license_by_domain on license (${DOMAIN}, product_id, created_at, license_key);
create index license_by_last_name on license (${LAST_NAME}, product_id, created_at, license_key);
create index license_by_order_number
  on license (${ORDER_NUMBER}, product_id, created_at, license_key) where purchase_id is not null;

-- an index of the metadata of licenses: hashes of names with values, and of values in lower case
create table license_metadata (
  license_key ${text} not null,
  pair ${text} not null,
  value_hash ${text} not null,
  product_id ${text} not null,
  created_at ${text} not null,
  primary key (license_key, pair)
)${tableEnd}${byKey};
create index license_metadata_by_pair on license_metadata (pair, created_at, license_key);
create index license_metadata_by_product on license_metadata (product_id, pair, created_at, license_key);
create index license_metadata_by_value on license_metadata (value_hash, license_key);
create index license_metadata_by_product_value on license_metadata (product_id, value_hash, license_key);

-- the extensions of a license by support, which are limited
create table support_extension (
  license_key ${text} not null primary key,
  -- JSON: days on which support extended the license, each with its end before
  days ${text} not null,
  -- the last end that support gave the license
  extended_to ${text} not null,
  last_at ${text} not null
)${tableEnd};
create index support_extension_by_last on support_extension (last_at);

create table activation (
  license_key ${text} not null,
  fingerprint ${text} not null,
  -- identifies this activation in its tokens; a machine that is activated again gets another one
  activation_id ${text} not null,
  hostname ${text} not null,
  first_seen ${text} not null,
  last_seen ${text} not null,
  token_expiry ${text} not null,
  -- both for floating sessions only: a session ends at its deadline, and holds its slot until it is released
  session_started ${text},
  session_deadline ${text},
  countries ${text} not null,
  last_country ${text},
  -- The time of the next check whether the session has lapsed, never after the deadline; it moves only when it comes.
  -- The deadline is in no index, so a heartbeat writes one row.
  session_due ${text},
  -- until when a license file for work without a connection holds the slot: it cannot be called back
  file_until ${text},
  -- the user as the app named them first, and in the form for comparison; both null without a user
  user_name ${text},
  user_folded ${text},
  -- Since when the machine waits for the two indexes of searches; null once it is in them. Entries of both are
  -- scattered: written with each activation, they made /activate write two and a half times as much. Tidying adds many
  -- machines together (licensing/machines/jobs.ts); until then a machine is in an index that grows at its end.
  unindexed_since ${text},
  primary key (license_key, fingerprint)
)${tableEnd}${spareRoom(80)};
create index activation_by_due on activation (license_key, session_due) where session_due is not null;
create index activation_unindexed on activation (unindexed_since) where unindexed_since is not null;
create index activation_by_user on activation (user_folded, license_key) where user_folded is not null;
create index activation_by_hostname
  on activation (lower(hostname), license_key, fingerprint) where unindexed_since is null;
create index activation_by_fingerprint on activation (fingerprint, license_key) where unindexed_since is null;

-- the users who hold a seat of a license with named users; changed under the lock of the license's row only
create table license_user (
  license_key ${text} not null,
  -- the form for comparison
  user_folded ${text} not null,
  -- as the app named them first
  user_name ${text} not null,
  since ${text} not null,
  -- the last sign of life of a machine that the user had and has no more; since, before the first
  last_seen ${text} not null,
  primary key (license_key, user_folded)
)${tableEnd}${byKey};
create index license_user_by_name on license_user (user_folded, license_key);

-- the licenses whose sessions_held is not 0, for the board of live sessions
create table session_pool (
  license_key ${text} not null primary key,
  product_id ${text} not null
)${tableEnd}${byKey};
create index session_pool_by_product on session_pool (product_id, license_key);

-- the highest number of live sessions of a floating license on a UTC day, as a look once a minute found it
create table pool_peak (
  license_key ${text} not null,
  -- the first moment of the day
  day ${text} not null,
  peak ${integer} not null,
  primary key (license_key, day)
)${tableEnd}${byKey};
create index pool_peak_by_day on pool_peak (day);

create table violation (
  license_key ${text} not null,
  violation_id ${text} not null,
  type ${text} not null,
  severity ${integer} not null,
  occurrences ${integer} not null,
  first_seen ${text} not null,
  last_seen ${text} not null,
  evidence ${text} not null,
  resolved_at ${text},
  -- of the license, which keeps its product for ever
  product_id ${text},
  primary key (license_key, violation_id)
)${tableEnd};
create index violation_open on violation (license_key, severity) where resolved_at is null;
-- repeats of a detected type are counted by its one open violation
create unique index violation_gathering
  on violation (license_key, type)
  where resolved_at is null and type in ('machine_limit', 'activation_rate', 'token_replay', 'country_spread');
${BOARD_INDEXES}

-- the keys that sign session tokens
create table token_key (
  key_id ${text} not null primary key,
  secret ${text} not null,
  created_at ${text} not null,
  signs_from ${text} not null,
  -- The longest lifetime that a node has given to tokens of this key; null before the first. The key verifies tokens
  -- for this long after its successor has taken over, even if the configured lifetime has changed.
  longest_lifetime_ms ${integer}
)${tableEnd};

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
create index product_by_name on product (lower(name), product_id);
create index product_by_creator_slug on product (creator_id, product_id);
create index product_by_creator_name on product (creator_id, lower(name), product_id);

-- Product and name identify a variant: a + b-c and a-b + c have the same variant_id and are two variants.
create table variant (
  variant_id ${text} not null,
  product_id ${text} not null,
  name ${text} not null,
  license_type ${text} not null,
  max_machines ${integer} not null,
  max_concurrent ${integer},
  default_trial_days ${integer},
  duration_days ${integer},
  -- in the smallest unit of the currency, as decimal text, because it may be any number
  price ${text},
  active ${integer} not null,
  -- JSON object: the further terms that are set; null without any
  terms ${text},
  primary key (product_id, name)
)${tableEnd};
create index variant_by_id on variant (variant_id, product_id);

-- what a license used of a meter in the last period with a use
create table meter_use (
  license_key ${text} not null,
  meter ${text} not null,
  -- the name of the period; empty for a meter that never begins anew
  period ${text} not null,
  used ${integer} not null,
  -- 1 once the event about the reached limit was recorded in this period
  limit_reached ${integer} not null,
  -- the number of requests that were counted
  requests ${integer} not null,
  primary key (license_key, meter)
)${tableEnd}${spareRoom(80)};

-- Requests of meters that were counted, with their answers, so that a repeat counts once. A request takes the place of
-- one that is 10,000 older.
create table meter_request (
  license_key ${text} not null,
  meter ${text} not null,
  slot ${integer} not null,
  request_id ${text} not null,
  units ${integer} not null,
  used ${integer} not null,
  limit_then ${integer} not null,
  resets_at ${text},
  used_at ${text} not null,
  primary key (license_key, meter, slot)
)${tableEnd}${byKey};
-- on an expression, so that a look-up does not read all requests of a license along the primary key
create index meter_request_by_id on meter_request ((license_key || ''), request_id);
create index meter_request_by_age on meter_request (used_at);

-- one row for each machine that has a file of a license; a renewal changes the row
create table license_file (
  license_key ${text} not null,
  -- empty for a file that any machine may use
  fingerprint ${text} not null,
  purpose ${text} not null,
  file_id ${text} not null,
  hostname ${text},
  issued_at ${text} not null,
  -- null for a file that never expires
  expires_at ${text},
  issued_by ${text} not null,
  -- 1 while it is in the count of license_file_count
  counted ${integer} not null,
  -- JSON: when the machine fetched files within the last hour, by minute; null where it fetched none
  fetched_lately ${text},
  primary key (license_key, fingerprint, purpose)
)${tableEnd}${byKey};
create index license_file_by_id on license_file (license_key, file_id);
create index license_file_counted on license_file (license_key, expires_at) where counted = 1;
create index license_file_by_expiry on license_file (counted, expires_at);
-- files that customers made themselves
create index license_file_by_customer on license_file (license_key, issued_at) where issued_by = 'customer';

-- the number of machines of a license with a file that an app fetched and that is not known to be over
create table license_file_count (
  license_key ${text} not null primary key,
  machines ${integer} not null
)${tableEnd};

-- the keys that sign license files
create table signing_key (
  key_id ${text} not null primary key,
  -- base64url: the 32 bytes of an Ed25519 key
  secret ${text} not null,
  created_at ${text} not null,
  signs_from ${text} not null
)${tableEnd};

-- values that are made once with the database: 'id' names this installation in all that it signs
create table installation (
  name ${text} not null primary key,
  value ${text} not null
)${tableEnd};

-- Recent refusals of the client endpoints, at most 50 rows for each license. Lists are ordered by id, which begins with
-- the time of the first refusal. No index has a column that a repeat sets, because SQLite updates an index even for the
-- same value; only the hostname may change with a repeat, and a separate statement sets it when it differs.
create table kept_refusal (
  license_key ${text} not null,
  refusal_id ${text} not null,
  -- as clients get it
  code ${text} not null,
  -- endpoint, details and request_id are those of the last repeat
  endpoint ${text} not null,
  -- empty where the endpoint asks for no machine
  fingerprint ${text} not null,
  hostname ${text},
  count ${integer} not null,
  first_at ${text} not null,
  last_at ${text} not null,
  -- a JSON object, or null
  details ${text} not null,
  request_id ${text} not null,
  -- of the license
  product_id ${text} not null,
  primary key (license_key, refusal_id)
)${tableEnd}${byKey};
create index kept_refusal_by_age on kept_refusal (first_at);
create index kept_refusal_by_id on kept_refusal (refusal_id);
create index kept_refusal_by_product on kept_refusal (product_id, refusal_id);
create index kept_refusal_by_code on kept_refusal (code, refusal_id);
create index kept_refusal_by_fingerprint on kept_refusal (fingerprint, refusal_id) where fingerprint <> '';
create index kept_refusal_by_hostname on kept_refusal (lower(hostname), license_key) where hostname is not null;

-- counts for each product, and for all of them (product_id is empty), by hour and by day
create table statistic (
  product_id ${text} not null,
  -- hour, day
  step ${text} not null,
  metric ${text} not null,
  -- when the hour or the day begins
  at ${text} not null,
  value ${integer} not null,
  primary key (product_id, step, metric, at)
)${tableEnd}${byKey}${spareRoom(80)};
-- on expressions, so that only tidying takes it: a look-up of some products would read those of all
create index statistic_by_age on statistic ((step || ''), (at || ''));

-- the countries that each license was used from (docs/contributors/decisions/0053-a-country-leads-to-its-licenses.md)
create table license_country (
  country ${text} not null,
  -- of the license, as is the product; neither changes
  created_at ${text} not null,
  license_key ${text} not null,
  product_id ${text} not null,
  primary key (country, created_at, license_key)
)${tableEnd}${byKey};
create index license_country_by_product on license_country (product_id, country, created_at, license_key);
`;
}
