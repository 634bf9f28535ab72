create table api_key (
  hash text not null primary key,
  name text not null,
  creator_id text not null,
  active integer not null,
  created_at text not null
) strict;
create index api_key_by_creator on api_key (creator_id, created_at, hash);
create index api_key_by_creation on api_key (created_at, hash);
