import type { SchemaDialect } from '../../contract/engine-differences.ts';

/** Copies of databases. */
export const copyTables = ({ text, tableEnd }: SchemaDialect): string => `
-- progress of the command copy into this database
create table database_copy (
  copy_id ${text} not null primary key,
  -- the source as operators read it, without a password
  source ${text} not null,
  -- tells the source from another database at the same place
  source_mark ${text} not null,
  began_at ${text} not null,
  -- JSON object: table -> rows copied, key of the last one, whether it was the last of the table
  progress ${text} not null,
  -- null until the copy is complete
  completed_at ${text}
)${tableEnd};
`;
