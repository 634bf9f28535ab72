-- first answers to requests that carried an Idempotency-Key, kept for a day
create table idempotent_reply (
  caller text collate "C" not null,
  idempotency_key text collate "C" not null,
  request_hash text collate "C" not null,
  status bigint not null,
  reply text collate "C" not null,
  created_at text collate "C" not null,
  primary key (caller, idempotency_key)
);
create index idempotent_reply_by_age on idempotent_reply (created_at);
