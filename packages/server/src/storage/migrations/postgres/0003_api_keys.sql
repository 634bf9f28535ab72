create table api_key (
  hash text collate "C" not null primary key,
  name text collate "C" not null,
  creator_id text collate "C" not null,
  active bigint not null,
  created_at text collate "C" not null
);
create index api_key_by_creator on api_key (creator_id, created_at, hash);
create index api_key_by_creation on api_key (created_at, hash);
