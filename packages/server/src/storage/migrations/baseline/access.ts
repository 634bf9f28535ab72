import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** API keys, sessions and sign-ins of the console. */
export const accessTables = ({ text, integer, tableEnd }: SchemaDialect): string => `
-- the keys of creators
create table api_key (
  hash ${text} not null primary key,
  name ${text} not null,
  creator_id ${text} not null,
  active ${integer} not null,
  created_at ${text} not null,
  -- null while the key is active
  revoked_at ${text}
)${tableEnd};
create index api_key_by_creator on api_key (creator_id, created_at, hash);
create index api_key_by_creation on api_key (created_at, hash);

create table console_session (
  -- SHA-256 of the cookie's value
  session_id ${text} not null primary key,
  -- operator or creator
  kind ${text} not null,
  -- owner, support, viewer; null for creators
  role ${text},
  -- the credential that began it: admin, the hash of a key, or "provider" and the hash of an account
  source ${text} not null,
  creator_id ${text},
  -- the name of the key or the account, or the name given with the admin secret
  name ${text},
  -- ties the session to the admin secret; null where an API key gives the rights
  binding ${text},
  is_kept ${integer} not null,
  created_at ${text} not null,
  -- within five minutes
  last_seen_at ${text} not null,
  expires_at ${text} not null,
  address ${text},
  user_agent ${text}
)${tableEnd};
create index console_session_by_creation on console_session (created_at, session_id);
create index console_session_by_source on console_session (source, last_seen_at, session_id);
create index console_session_by_use on console_session (last_seen_at, session_id);
create index console_session_by_end on console_session (expires_at);

-- the keys of the operator's people
create table operator_key (
  hash ${text} not null primary key,
  name ${text} not null,
  role ${text} not null,
  active ${integer} not null,
  created_at ${text} not null,
  -- null while the key is active
  revoked_at ${text},
  -- the end given at its creation; null for none
  expires_at ${text},
  -- the last use, to an hour; null before the first
  last_used_at ${text}
)${tableEnd};
create index operator_key_by_creation on operator_key (created_at, hash);

-- the codes of sign-in links
create table sign_in_code (
  -- SHA-256 of the code
  hash ${text} not null primary key,
  -- ties it to the admin secret
  binding ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index sign_in_code_by_end on sign_in_code (expires_at);

-- the events that sign-ins of an hour share
create table sign_in_event (
  -- the credential: admin, or the hash of a key
  source ${text} not null,
  -- the name given with the admin secret; empty without one
  name ${text} not null,
  -- JSON: the event that these sign-ins share, with its beginning and their number
  created_event ${text} not null,
  -- JSON: the same for sessions that ended to make room
  ended_event ${text} not null,
  -- JSON: the same for people of the identity provider who were refused
  refused_event ${text} not null,
  last_at ${text} not null,
  primary key (source, name)
)${tableEnd};
create index sign_in_event_by_last on sign_in_event (last_at);

-- attempts to sign in with an account of the identity provider whose answer arrived
create table provider_attempt (
  -- SHA-256 of the state
  attempt_id ${text} not null primary key,
  expires_at ${text} not null
)${tableEnd};
create index provider_attempt_by_end on provider_attempt (expires_at);

-- one row: each sign-in holds its lock while sessions and codes are counted
create table sign_in_turn (
  turn ${text} not null primary key,
  taken_at ${text} not null
)${tableEnd};
`;
