import { migration } from './migration.ts';

/**
 * The outbox of mails ([decision 46](../../../../../docs/contributors/decisions/0046-mails.md)), and the mails counted
 * towards the hourly limit. Nodes of the previous version send none.
 */
export const mails = migration(
  91,
  'mails',
  ({ text, integer, tableEnd }) => `
create table mail (
  -- 'mail_' and an ordered UUID
  mail_id ${text} not null primary key,
  kind ${text} not null,
  to_address ${text} not null,
  to_folded ${text} not null,
  -- null for the operator's
  creator_id ${text},
  language ${text} not null,
  license_key ${text},
  -- JSON: further values of its kind
  data ${text} not null,
  -- null before the first attempt
  message_id ${text},
  -- waiting, sent, failed, dropped
  state ${text} not null,
  attempts ${integer} not null,
  due_at ${text} not null,
  last_error ${text},
  created_at ${text} not null,
  settled_at ${text},
  kept_until ${text} not null
)${tableEnd};
create index mail_by_due on mail (state, due_at, mail_id);
create index mail_by_creation on mail (created_at, mail_id);
create index mail_by_state on mail (state, created_at, mail_id);
create index mail_by_creator on mail (creator_id, created_at, mail_id);
create index mail_by_creator_and_state on mail (creator_id, state, created_at, mail_id);
create index mail_by_license on mail (license_key, created_at, mail_id);
create index mail_by_address on mail (to_folded, mail_id);
create index mail_by_age on mail (kept_until, mail_id);

-- one row: the mails of the last hour (ground/base/recent-counts.ts)
create table mail_rate (
  name ${text} not null primary key,
  counts ${text} not null
)${tableEnd};
`,
  'go on',
);
