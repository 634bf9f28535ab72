create table discount_code (
  -- the code without case: how it is found
  code_folded text collate "C" not null primary key,
  -- the code as it was written
  code text collate "C" not null,
  product_id text collate "C",
  creator_id text collate "C",
  trial_days bigint not null,
  max_uses bigint,
  used_count bigint not null,
  active bigint not null,
  created_at text collate "C" not null,
  expires_at text collate "C"
);
create index discount_code_by_creator on discount_code (creator_id, created_at, code_folded);
create index discount_code_by_product on discount_code (product_id, created_at, code_folded);
create index discount_code_by_creation on discount_code (created_at, code_folded);

-- one use of a code by one e-mail address
create table redemption (
  code_folded text collate "C" not null,
  email_folded text collate "C" not null,
  license_key text collate "C" not null,
  redeemed_at text collate "C" not null,
  primary key (code_folded, email_folded)
);

-- recent redemption attempts of a network address, for the rate limit (JSON list of milliseconds)
create table redemption_attempts (
  address text collate "C" not null primary key,
  attempts text collate "C" not null,
  last_at text collate "C" not null
);
create index redemption_attempts_by_age on redemption_attempts (last_at);
