import { migration } from './migration.ts';

/**
 * Licenses, the machines they are activated on, recorded violations, and the keys that sign session tokens.
 * Every table of a license starts its key with license_key: its rows lie together.
 */
export const licenses = migration(
  1,
  'licenses',
  ({ text, integer, tableEnd, own }) => `
create table license (
  license_key ${text} not null primary key,
  email ${text} not null,
  email_folded ${text} not null,
  product_id ${text} not null,
  variant ${text} not null,
  license_type ${text} not null,
  -- null, or why it is revoked: plain, refund, fraud, chargeback
  revocation ${text},
  -- the status as of the last write or tidying: an index aid for lists only, never what decides
  status_mark ${text} not null,
  max_machines ${integer} not null,
  max_concurrent ${integer},
  created_at ${text} not null,
  purchased_at ${text} not null,
  expires_at ${text},
  discount_code ${text},
  purchase_id ${text},
  bundle_id ${text},
  unlocked_products ${text} not null,
  threat_level ${integer} not null,
  dispute_reason ${text},
  -- kept counts, changed only under the lock of this row: activations, and floating sessions not yet released
  machines_used ${integer} not null,
  sessions_held ${integer} not null,
  -- the newest activation attempts (JSON list of milliseconds), at most as many as the hourly limit
  attempts ${text} not null,
  -- JSON object: country code -> when it was last seen, one day back
  countries_seen ${text} not null
)${tableEnd};
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
  license_key ${text} not null,
  fingerprint ${text} not null,
  -- names this activation in its tokens: a machine activated anew gets another one
  activation_id ${text} not null,
  hostname ${text} not null,
  first_seen ${text} not null,
  last_seen ${text} not null,
  token_expiry ${text} not null,
  -- floating sessions only; the session holds its slot until it is released, and is dead from the deadline on
  session_started ${text},
  session_deadline ${text},
  countries ${text} not null,
  last_country ${text},
  primary key (license_key, fingerprint)
)${tableEnd};
create index activation_by_deadline on activation (license_key, session_deadline) where session_deadline is not null;

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
  primary key (license_key, violation_id)
)${tableEnd};
create index violation_open on violation (license_key, severity) where resolved_at is null;
-- repeats of a detected type gather in one open violation
create unique index violation_gathering on violation (license_key, type)
  where resolved_at is null and type in ('machine_limit', 'activation_rate', 'token_replay', 'country_spread');

create table token_key (
  key_id ${text} not null primary key,
  secret ${text} not null,
  created_at ${text} not null,
  signs_from ${text} not null
)${tableEnd};
${own({
  sqlite: '',
  // Free space on each page for the new row versions that activations and heartbeats write.
  postgres: `alter table license set (fillfactor = 80);
alter table activation set (fillfactor = 80);`,
})}
`,
);
