import { migration } from './migration.ts';

/**
 * Recent refusals of the client endpoints, at most 50 rows per license. No index has a column that a repeat changes.
 * Nodes lock the row of job_lease, so that one at a time writes refusals; no node leases it.
 */
export const keptRefusals = migration(
  19,
  'kept_refusals',
  ({ text, integer, tableEnd, own }) => `
create table kept_refusal (
  license_key ${text} not null,
  refusal_id ${text} not null,
  -- as clients are told it
  code ${text} not null,
  -- this and what follows the count: of the last of them
  endpoint ${text} not null,
  -- empty where the endpoint asks for no machine
  fingerprint ${text} not null,
  hostname ${text},
  count ${integer} not null,
  first_at ${text} not null,
  last_at ${text} not null,
  -- a JSON object, or null
  details ${text} not null,
  request_id ${text} not null,
  primary key (license_key, refusal_id)
)${tableEnd}${own({ sqlite: ', without rowid', postgres: '' })};
create index kept_refusal_by_age on kept_refusal (first_at);
insert into job_lease (job, leased_until) values ('write refusals', '');
`,
);
