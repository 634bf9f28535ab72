import { migration } from './migration.ts';

/** First replies to requests with an Idempotency-Key, kept for a day. */
export const idempotency = migration(
  7,
  'idempotency',
  ({ text, integer, tableEnd }) => `
create table idempotent_reply (
  caller ${text} not null,
  idempotency_key ${text} not null,
  request_hash ${text} not null,
  status ${integer} not null,
  reply ${text} not null,
  created_at ${text} not null,
  primary key (caller, idempotency_key)
)${tableEnd};
create index idempotent_reply_by_age on idempotent_reply (created_at);
`,
);
