/** What a database says of itself. */
import { type Sql, statement } from '../storage/storage.ts';

const describe = statement('database.describe', ({ aboutItself }) => aboutItself);

const findNewestMigration = statement(
  'schema_migration.find_newest_record',
  'select version, name, applied_at as "appliedAt" from schema_migration order by version desc limit 1',
);

/** The database itself. */
export interface DatabaseDescription {
  /** Of the engine. */
  readonly version: string;
  /** What it takes on its disk; null where its files tell that. */
  readonly bytes: number | null;
  /** The time of its own clock; null where it has none. */
  readonly moment: string | null;
}

/** A migration that was applied. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly appliedAt: string;
}

/** Asks the database about itself; costs the same however much is in it, but for its files, which PostgreSQL looks up. */
export async function describeDatabase(sql: Sql): Promise<DatabaseDescription> {
  return (await sql.first<DatabaseDescription>(describe))!;
}

/** The newest migration that the database has seen. A database that is served has seen one. */
export async function findLatestMigration(sql: Sql): Promise<AppliedMigration> {
  return (await sql.first<AppliedMigration>(findNewestMigration))!;
}
