import { migration } from './migration.ts';

/**
 * What client endpoints refused of a license lately, at most 50 rows a license. Nothing that repeats change is in an
 * index. The row of job_lease is what nodes lock to write refusals one after the other; nobody leases it.
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
