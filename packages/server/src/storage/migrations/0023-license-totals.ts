import { migration } from './migration.ts';

/**
 * What a walk over all licenses has counted, by product, and where licenses with open violations are found. An index
 * that somebody made beforehand (large tables take a while) is taken as it is. It holds few licenses and no column that
 * calls of machines change, but for the rare rise of a threat level.
 */
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
create index if not exists license_by_product_threat
  on license (product_id, threat_level, license_key) where threat_level > 0;
`,
);
