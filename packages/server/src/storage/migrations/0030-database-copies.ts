import { migration } from './migration.ts';

/** Progress of the command copy with this database as target; completed_at is null until the copy is complete. */
export const databaseCopies = migration(
  30,
  'database_copies',
  ({ text, tableEnd }) => `
create table database_copy (
  copy_id ${text} not null primary key,
  -- what is copied, as operators are reported of it, without a password
  source ${text} not null,
  -- tells the source from another database at the same place
  source_mark ${text} not null,
  began_at ${text} not null,
  -- JSON object: table -> rows copied, key of the last one, whether it was the last of the table
  progress ${text} not null,
  completed_at ${text}
)${tableEnd};
`,
);
