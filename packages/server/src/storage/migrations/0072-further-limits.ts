import { migration } from './migration.ts';

/**
 * Counters of three limits: sign-ins of a key, license files that a machine fetches, and extensions by support. Older
 * nodes do not count them.
 */
export const furtherLimits = migration(
  72,
  'further_limits',
  ({ text, tableEnd }) => `
create table sign_in_rate (
  -- what sessions are begun with: admin, or the hash of a key
  source ${text} not null,
  -- the name of whoever signed in; empty where none was given
  name ${text} not null,
  -- JSON: sign-ins of the last hour by minute
  counts ${text} not null,
  -- JSON: the event that sign-ins share, since when, and how many they are
  created_event ${text} not null,
  -- JSON: the same for sessions that ended to make room
  ended_event ${text} not null,
  last_at ${text} not null,
  primary key (source, name)
)${tableEnd};
create index sign_in_rate_by_last on sign_in_rate (last_at);

-- JSON: when the machine fetched files within the last hour, by minute; null where it fetched none
alter table license_file add column fetched_lately ${text};

create table support_extension (
  license_key ${text} not null primary key,
  -- JSON: days on which support extended the license, each with its end before
  days ${text} not null,
  -- the end that support gave it last
  extended_to ${text} not null,
  last_at ${text} not null
)${tableEnd};
create index support_extension_by_last on support_extension (last_at);
`,
  'go on',
);
