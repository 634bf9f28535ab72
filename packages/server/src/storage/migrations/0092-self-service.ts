import { migration } from './migration.ts';

/**
 * Self-service: sign-ins, sessions and links of customers, their counted requests, the devices that they freed, and the
 * brands of their pages. Nodes of the previous version use none of these tables.
 */
export const selfService = migration(
  92,
  'self_service',
  ({ text, integer, tableEnd }) => `
create table customer_sign_in (
  -- SHA-256 of the cookie of the browser that asked for a code
  browser ${text} not null primary key,
  -- the code is derived from it
  request_id ${text} not null,
  email_folded ${text} not null,
  -- the shop, the id of a creator; null: the pages of the operator
  creator_id ${text},
  -- 1 if the address has asked too often: no mail follows
  is_silent ${integer} not null,
  tries ${integer} not null,
  created_at ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index customer_sign_in_by_end on customer_sign_in (expires_at);
create index customer_sign_in_by_email on customer_sign_in (email_folded);

-- counts for rate limits
create table customer_rate (
  -- what is counted, with a network or the hash of an address
  subject ${text} not null primary key,
  -- JSON: list of pairs, part of the time since 1970 and count
  counts ${text} not null,
  last_at ${text} not null
)${tableEnd};
create index customer_rate_by_last on customer_rate (last_at);

create table customer_session (
  -- SHA-256 of the cookie's value
  session_id ${text} not null primary key,
  email_folded ${text} not null,
  creator_id ${text},
  created_at ${text} not null,
  -- to a minute
  last_used_at ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index customer_session_by_email on customer_session (email_folded, last_used_at, session_id);
create index customer_session_by_end on customer_session (expires_at);

create table customer_link (
  -- SHA-256 of the code in the link
  link_id ${text} not null primary key,
  email_folded ${text} not null,
  creator_id ${text},
  created_at ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index customer_link_by_email on customer_link (email_folded, created_at, link_id);
create index customer_link_by_end on customer_link (expires_at);

-- devices that customers freed and that count
create table device_release (
  license_key ${text} not null,
  released_at ${text} not null,
  fingerprint ${text} not null,
  primary key (license_key, released_at, fingerprint)
)${tableEnd};
create index device_release_by_time on device_release (released_at);

-- files that customers made themselves
create index license_file_by_customer on license_file (license_key, issued_at) where issued_by = 'customer';

create table brand (
  -- '' is the operator
  creator_id ${text} not null primary key,
  name ${text} not null,
  support_address ${text},
  support_url ${text},
  -- #rrggbb
  accent ${text},
  -- base64
  logo ${text},
  logo_type ${text},
  updated_at ${text} not null
)${tableEnd};
`,
  'go on',
);
