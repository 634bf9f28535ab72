import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** E-mails, the pages of customers, brands. */
export const customersTables = ({ text, integer, tableEnd }: SchemaDialect): string => `
-- a row for each address that is being replaced in several steps; the last step deletes it
create table forgetting (
  email_folded ${text} not null primary key,
  pseudonym ${text} not null,
  -- JSON: where the next step begins
  progress ${text} not null,
  -- JSON: how much was replaced so far, by kind
  replaced ${text} not null,
  started_at ${text} not null
)${tableEnd};

-- the outbox of e-mails (docs/contributors/decisions/0046-mails.md)
create table mail (
  -- 'mail_' and an ordered UUID
  mail_id ${text} not null primary key,
  kind ${text} not null,
  to_address ${text} not null,
  to_folded ${text} not null,
  -- null for the operator
  creator_id ${text},
  language ${text} not null,
  license_key ${text},
  -- JSON: further values of its kind
  data ${text} not null,
  -- null before the first attempt
  message_id ${text},
  -- waiting, sent, failed, dropped
  state ${text} not null,
  attempts ${integer} not null,
  due_at ${text} not null,
  last_error ${text},
  created_at ${text} not null,
  settled_at ${text},
  kept_until ${text} not null
)${tableEnd};
create index mail_by_due on mail (state, due_at, mail_id);
create index mail_by_creation on mail (created_at, mail_id);
create index mail_by_state on mail (state, created_at, mail_id);
create index mail_by_creator on mail (creator_id, created_at, mail_id);
create index mail_by_creator_and_state on mail (creator_id, state, created_at, mail_id);
create index mail_by_license on mail (license_key, created_at, mail_id);
create index mail_by_address on mail (to_folded, created_at, mail_id);
create index mail_by_address_and_creator on mail (to_folded, creator_id, created_at, mail_id);
create index mail_by_age on mail (kept_until, mail_id);

-- the sign-ins of customers that wait for their code
create table customer_sign_in (
  -- SHA-256 of the cookie of the browser that asked for a code
  browser ${text} not null primary key,
  -- the code is derived from it
  request_id ${text} not null,
  email_folded ${text} not null,
  -- the creator whose pages they are; null for the pages of the operator
  creator_id ${text},
  -- as it is counted; null where the address of the caller is unknown
  network ${text},
  -- 1 if the browser signed in as this customer before
  is_known ${integer} not null,
  tries ${integer} not null,
  created_at ${text} not null,
  expires_at ${text} not null
)${tableEnd};
create index customer_sign_in_by_end on customer_sign_in (expires_at);
create index customer_sign_in_by_email on customer_sign_in (email_folded);

create table customer_session (
  -- SHA-256 of the cookie's value
  session_id ${text} not null primary key,
  email_folded ${text} not null,
  creator_id ${text},
  created_at ${text} not null,
  -- within a minute
  last_used_at ${text} not null,
  expires_at ${text} not null,
  -- the person of the console with whose link it began
  staff_name ${text}
)${tableEnd};
create index customer_session_by_email on customer_session
  (email_folded, COALESCE(creator_id, ''), last_used_at, session_id);
create index customer_session_by_end on customer_session (expires_at);

-- the links to the pages of a customer that staff made
create table customer_link (
  -- SHA-256 of the code in the link
  link_id ${text} not null primary key,
  email_folded ${text} not null,
  creator_id ${text},
  created_at ${text} not null,
  expires_at ${text} not null,
  -- the person of the console who made it
  staff_name ${text}
)${tableEnd};
create index customer_link_by_email on customer_link (email_folded, COALESCE(creator_id, ''), created_at, link_id);
create index customer_link_by_end on customer_link (expires_at);

-- the devices that customers freed, which are limited
create table device_release (
  license_key ${text} not null,
  released_at ${text} not null,
  fingerprint ${text} not null,
  primary key (license_key, released_at, fingerprint)
)${tableEnd};
create index device_release_by_time on device_release (released_at);

create table brand (
  -- empty for the operator
  creator_id ${text} not null primary key,
  name ${text} not null,
  support_address ${text},
  support_url ${text},
  -- #rrggbb
  accent ${text},
  -- base64
  logo ${text},
  logo_type ${text},
  -- JSON: links of products
  product_links ${text} not null,
  -- 1 if customers give their licenses new keys themselves
  allows_new_keys ${integer} not null,
  updated_at ${text} not null
)${tableEnd};

-- the vendors' own texts of e-mails to buyers
create table mail_template (
  -- empty for the operator
  creator_id ${text} not null,
  -- empty for all products of the owner
  product_id ${text} not null,
  kind ${text} not null,
  language ${text} not null,
  subject ${text} not null,
  text ${text} not null,
  updated_at ${text} not null,
  primary key (creator_id, product_id, kind, language)
)${tableEnd};

-- one row for each owner: a call that adds a template holds its lock, and its version rises
create table mail_template_turn (
  creator_id ${text} not null primary key,
  version ${integer} not null
)${tableEnd};
`;
