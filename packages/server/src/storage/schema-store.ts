/** Which version the tables of a database have. */
import { type Sql, StorageAway, StorageBusy, statement } from './storage.ts';

const findApplied = statement(
  'schema_migration.find_applied',
  'select version from schema_migration order by version desc limit 1',
);

/**
 * The number of the newest migration that a database has seen; 0 where it has none, or no tables at all.
 *
 * @throws where the database cannot be asked
 */
export async function findSchemaVersion(sql: Sql): Promise<number> {
  try {
    return (await sql.first<{ version: number }>(findApplied))?.version ?? 0;
  } catch (error) {
    if (error instanceof StorageAway || error instanceof StorageBusy) throw error;
    // Each engine has its own words for a table that is not there.
    return 0;
  }
}
