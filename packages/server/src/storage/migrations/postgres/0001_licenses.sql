-- Licenses, the machines they are activated on, recorded violations, and the keys that sign session tokens.
-- Every table of a license starts its key with license_key, so that the tables can be spread by license.
create table license (
  license_key text collate "C" not null primary key,
  email text collate "C" not null,
  email_folded text collate "C" not null,
  product_id text collate "C" not null,
  variant text collate "C" not null,
  license_type text collate "C" not null,
  -- null, or why it is revoked: plain, refund, fraud, chargeback
  revocation text collate "C",
  -- the status as of the last write or tidying: an index aid for lists only, never what decides
  status_mark text collate "C" not null,
  max_machines bigint not null,
  max_concurrent bigint,
  created_at text collate "C" not null,
  purchased_at text collate "C" not null,
  expires_at text collate "C",
  discount_code text collate "C",
  purchase_id text collate "C",
  bundle_id text collate "C",
  unlocked_products text collate "C" not null,
  threat_level bigint not null,
  dispute_reason text collate "C",
  -- kept counts, changed only under the lock of this row: activations, and floating sessions not yet released
  machines_used bigint not null,
  sessions_held bigint not null,
  -- the newest activation attempts (JSON list of milliseconds), at most as many as the hourly limit
  attempts text collate "C" not null,
  -- JSON object: country code -> when it was last seen, one day back
  countries_seen text collate "C" not null
);
create index license_by_creation on license (created_at, license_key);
create index license_by_status on license (status_mark, created_at, license_key);
create index license_by_product on license (product_id, created_at, license_key);
create index license_by_product_status on license (product_id, status_mark, created_at, license_key);
create index license_by_email on license (email_folded, created_at, license_key);
create index license_by_email_status on license (email_folded, status_mark, created_at, license_key);
create index license_by_email_product on license (email_folded, product_id, created_at, license_key);
create index license_by_purchase on license (purchase_id, created_at) where purchase_id is not null;
create index license_by_lapse on license (status_mark, expires_at) where expires_at is not null;

create table activation (
  license_key text collate "C" not null,
  fingerprint text collate "C" not null,
  -- names this activation in its tokens: a machine activated anew gets another one
  activation_id text collate "C" not null,
  hostname text collate "C" not null,
  first_seen text collate "C" not null,
  last_seen text collate "C" not null,
  token_expiry text collate "C" not null,
  -- floating sessions only; the session holds its slot until it is released, and is dead from the deadline on
  session_started text collate "C",
  session_deadline text collate "C",
  countries text collate "C" not null,
  last_country text collate "C",
  primary key (license_key, fingerprint)
);
create index activation_by_deadline on activation (license_key, session_deadline) where session_deadline is not null;

create table violation (
  license_key text collate "C" not null,
  violation_id text collate "C" not null,
  type text collate "C" not null,
  severity bigint not null,
  occurrences bigint not null,
  first_seen text collate "C" not null,
  last_seen text collate "C" not null,
  evidence text collate "C" not null,
  resolved_at text collate "C",
  primary key (license_key, violation_id)
);
create index violation_open on violation (license_key, severity) where resolved_at is null;
-- repeats of a detected type gather in one open violation
create unique index violation_gathering on violation (license_key, type)
  where resolved_at is null and type in ('machine_limit', 'activation_rate', 'token_replay', 'country_spread');

create table token_key (
  key_id text collate "C" not null primary key,
  secret text collate "C" not null,
  created_at text collate "C" not null,
  signs_from text collate "C" not null
);

-- room on each page for the new versions of rows that activations and heartbeats rewrite in place
alter table license set (fillfactor = 80);
alter table activation set (fillfactor = 80);
