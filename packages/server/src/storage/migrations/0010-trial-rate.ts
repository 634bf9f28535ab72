import { migration } from './migration.ts';

/** Recent trial redemptions per network, for the rate limit (JSON list of pairs: minute since 1970, count). */
export const trialRate = migration(
  10,
  'trial_rate',
  ({ text, tableEnd }) => `
create table trial_rate (
  network ${text} not null primary key,
  counts ${text} not null,
  last_at ${text} not null
)${tableEnd};
create index trial_rate_by_age on trial_rate (last_at);
`,
);
