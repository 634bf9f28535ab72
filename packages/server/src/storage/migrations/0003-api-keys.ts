import { migration } from './migration.ts';

/** The API keys of creators. */
export const apiKeys = migration(
  3,
  'api_keys',
  ({ text, integer, tableEnd }) => `
create table api_key (
  hash ${text} not null primary key,
  name ${text} not null,
  creator_id ${text} not null,
  active ${integer} not null,
  created_at ${text} not null
)${tableEnd};
create index api_key_by_creator on api_key (creator_id, created_at, hash);
create index api_key_by_creation on api_key (created_at, hash);
`,
);
