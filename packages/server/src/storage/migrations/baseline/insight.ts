import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** Totals of licenses, templates of replies. */
export const insightTables = ({ text, integer, tableEnd }: SchemaDialect): string => `
-- counts of licenses by product, from a walk over all licenses
create table license_total (
  -- empty for all products together; this row is written last, so a walk that has it is complete
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

-- templates of replies to customers
create table reply_template (
  template_id ${text} not null primary key,
  -- empty for the operator
  creator_id ${text} not null,
  name ${text} not null,
  text ${text} not null,
  -- the verdict that it answers; null for any
  verdict ${text},
  created_at ${text} not null,
  updated_at ${text} not null
)${tableEnd};
create index reply_template_by_owner on reply_template (creator_id, template_id);

-- one row for each owner: a call that adds a template holds its lock, and its version rises
create table reply_template_turn (
  creator_id ${text} not null primary key,
  version ${integer} not null
)${tableEnd};
`;
