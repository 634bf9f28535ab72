-- trial codes that a network redeemed lately, for the rate limit (JSON list of pairs: minute since 1970, how many)
create table trial_rate (
  network text collate "C" not null primary key,
  counts text collate "C" not null,
  last_at text collate "C" not null
);
create index trial_rate_by_age on trial_rate (last_at);
