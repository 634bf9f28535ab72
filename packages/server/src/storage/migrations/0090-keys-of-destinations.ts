import { migration } from './migration.ts';

/**
 * The API keys that created or changed each destination, so that a leaked key can be revoked together with its
 * destinations ([decision 43](../../../../../docs/contributors/decisions/0043-what-a-leaked-key-leaves-behind.md)). A
 * table of its own: `restore` reads the table of destinations before it is migrated. Nodes of the previous version note
 * no keys.
 */
export const keysOfDestinations = migration(
  90,
  'keys_of_destinations',
  ({ text, tableEnd }) => `
create table destination_key (
  destination_id ${text} not null,
  -- hash of an API key, revoked or not
  key_hash ${text} not null,
  primary key (destination_id, key_hash)
)${tableEnd};
create index destination_key_by_key on destination_key (key_hash, destination_id);
`,
  'go on',
);
