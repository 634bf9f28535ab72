-- trial codes that a network redeemed lately, for the rate limit (JSON list of pairs: minute since 1970, how many)
create table trial_rate (
  network text not null primary key,
  counts text not null,
  last_at text not null
) strict;
create index trial_rate_by_age on trial_rate (last_at);
