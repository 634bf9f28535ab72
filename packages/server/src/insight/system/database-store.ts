/** The database's description of itself. */
import { type Sql, statement } from '../../storage/contract/storage.ts';

const describe = statement('database.describe', ({ aboutItself }) => aboutItself);

const findNewestMigration = statement(
  'schema_migration.find_newest_record',
  'select version, name, applied_at as "appliedAt" from schema_migration order by version desc limit 1',
);

export interface DatabaseDescription {
  /** Version of the engine. */
  readonly version: string;
  /** Size on disk in bytes; null for SQLite, where the caller stats the files. */
  readonly bytes: number | null;
  /** Time of the database's own clock; null if it has none. */
  readonly moment: string | null;
}

/** A migration that was applied. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly appliedAt: string;
}

/**
 * Asks the database about itself. The cost does not depend on the amount of data, except that PostgreSQL looks up its
 * files.
 */
export async function describeDatabase(sql: Sql): Promise<DatabaseDescription> {
  return (await sql.first<DatabaseDescription>(describe))!;
}

/** The newest applied migration. A database in service has at least one. */
export async function findLatestMigration(sql: Sql): Promise<AppliedMigration> {
  return (await sql.first<AppliedMigration>(findNewestMigration))!;
}
