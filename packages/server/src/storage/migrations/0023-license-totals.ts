import { migration } from './migration.ts';

/** License counts by product, from a pass over all licenses. */
export const licenseTotals = migration(
  23,
  'license_totals',
  ({ text, integer, tableEnd }) => `
create table license_total (
  -- '' for all products together: written last, so that a walk that has this row is complete
  product_id ${text} not null,
  -- walks are numbered; the figures of the last complete one count
  walk ${integer} not null,
  active ${integer} not null,
  revoked ${integer} not null,
  expired ${integer} not null,
  live_sessions ${integer} not null,
  -- JSON list of the largest licenses that are nearly full
  fullest_pools ${text} not null,
  -- the moment for which statuses and sessions were counted
  as_of ${text} not null,
  primary key (product_id, walk)
)${tableEnd};
create index license_total_by_walk on license_total (walk, product_id);
`,
);
