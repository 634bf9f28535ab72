import { migration } from './migration.ts';

/** Discount codes, their redemptions, and the number of attempts per address. */
export const discountCodes = migration(
  4,
  'discount_codes',
  ({ text, integer, tableEnd }) => `
create table discount_code (
  -- the code without case: how it is found
  code_folded ${text} not null primary key,
  -- the code as it was written
  code ${text} not null,
  product_id ${text},
  creator_id ${text},
  trial_days ${integer} not null,
  max_uses ${integer},
  used_count ${integer} not null,
  active ${integer} not null,
  created_at ${text} not null,
  expires_at ${text}
)${tableEnd};
create index discount_code_by_creator on discount_code (creator_id, created_at, code_folded);
create index discount_code_by_product on discount_code (product_id, created_at, code_folded);
create index discount_code_by_creation on discount_code (created_at, code_folded);

-- one use of a code by one e-mail address
create table redemption (
  code_folded ${text} not null,
  email_folded ${text} not null,
  license_key ${text} not null,
  redeemed_at ${text} not null,
  primary key (code_folded, email_folded)
)${tableEnd};

-- recent redemption attempts of a network address, for the rate limit (JSON list of milliseconds)
create table redemption_attempts (
  address ${text} not null primary key,
  attempts ${text} not null,
  last_at ${text} not null
)${tableEnd};
create index redemption_attempts_by_age on redemption_attempts (last_at);
`,
);
