import { migration } from './migration.ts';

/** The console: sessions, the keys of the operator's people, and the codes of sign-in links. */
export const consoleSessions = migration(
  50,
  'console',
  ({ text, integer, tableEnd }) => `
create table console_session (
  -- SHA-256 of the cookie's value
  session_id ${text} not null primary key,
  -- operator or creator
  kind ${text} not null,
  -- owner, support, viewer; null for creators
  role ${text},
  -- what it was begun with: admin, or the hash of a key
  source ${text} not null,
  creator_id ${text},
  -- the key's name, or the name that somebody with the admin secret gave
  name ${text},
  -- ties an operator's session to the admin secret
  binding ${text},
  is_kept ${integer} not null,
  created_at ${text} not null,
  -- to five minutes
  last_seen_at ${text} not null,
  expires_at ${text} not null,
  address ${text},
  user_agent ${text}
)${tableEnd};
create index console_session_by_creation on console_session (created_at, session_id);
create index console_session_by_source on console_session (source, last_seen_at, session_id);
create index console_session_by_use on console_session (last_seen_at, session_id);
create index console_session_by_end on console_session (expires_at);

create table operator_key (
  hash ${text} not null primary key,
  name ${text} not null,
  role ${text} not null,
  active ${integer} not null,
  created_at ${text} not null
)${tableEnd};
create index operator_key_by_creation on operator_key (created_at, hash);

create table sign_in_code (
  -- SHA-256 of the code
  hash ${text} not null primary key,
  -- ties it to the admin secret
  binding ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index sign_in_code_by_end on sign_in_code (expires_at);

-- one row, whose lock is held by whoever signs in: sessions and codes are counted under it
create table sign_in_turn (
  turn ${text} not null primary key,
  taken_at ${text} not null
)${tableEnd};
`,
  'go on',
);
