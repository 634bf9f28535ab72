import { migration } from './migration.ts';

/**
 * Signed license files: who issues them, the keys that sign them, and one row for each machine that has one. Renewing a
 * file changes its row.
 */
export const licenseFiles = migration(
  40,
  'license_files',
  ({ text, integer, tableEnd, own }) => `
-- what is made once with the database: 'id' names this installation in everything that it signs
create table installation (
  name ${text} not null primary key,
  value ${text} not null
)${tableEnd};

create table signing_key (
  key_id ${text} not null primary key,
  -- base64url: the 32 bytes of an Ed25519 key
  secret ${text} not null,
  created_at ${text} not null,
  signs_from ${text} not null
)${tableEnd};

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
  primary key (license_key, fingerprint, purpose)
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
create index license_file_by_id on license_file (license_key, file_id);
create index license_file_counted on license_file (license_key, expires_at) where counted = 1;
create index license_file_by_expiry on license_file (counted, expires_at);

-- how many machines of a license have a file that an app fetched and that has not been seen to be over
create table license_file_count (
  license_key ${text} not null primary key,
  machines ${integer} not null
)${tableEnd};
`,
);
