import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** Totals of licenses, templates of replies, e-mails to the operator. */
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

-- the conditions that the operator was told of by e-mail; the row 'digest' holds the moment of the last digest
create table operator_notice (
  kind ${text} not null,
  -- the thing that it is about; empty for kinds with one condition at most
  subject ${text} not null,
  -- a higher stage is graver
  stage ${integer} not null,
  -- JSON: values for the sentences about it
  facts ${text} not null,
  since ${text} not null,
  -- null while it is present
  ended_at ${text},
  -- the last e-mail about it; null before the first
  told_at ${text},
  -- e-mails that told that it is present; 0 once one told that it ended
  tellings ${integer} not null,
  primary key (kind, subject)
)${tableEnd};

-- the conditions that nodes report about themselves, again and again while they have them
create table node_condition (
  kind ${text} not null,
  subject ${text} not null,
  stage ${integer} not null,
  -- JSON: values for the sentences about it
  facts ${text} not null,
  seen_at ${text} not null,
  primary key (kind, subject)
)${tableEnd};
create index node_condition_by_age on node_condition (seen_at, kind, subject);
`;
