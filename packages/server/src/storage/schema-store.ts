/** Which version the tables of a database have. */
import { type Sql, StorageAway, StorageBusy, statement } from './storage.ts';

const findApplied = statement(
  'schema_migration.find_applied',
  'select version from schema_migration order by version desc limit 1',
);

const listApplied = statement('schema_migration.list_applied', 'select version from schema_migration');

const listRecords = statement(
  'schema_migration.list_records',
  'select version, name, applied_at as "appliedAt" from schema_migration order by version',
);

const findStopping = statement(
  'schema_migration.find_stopping',
  "select version from schema_migration where version > $1 and older_nodes <> 'go on' limit 1",
);

// Events order by time: the newest one is the last.
const findNewestEvent = statement(
  'event.find_newest_moment',
  'select occurred_at as moment from event order by event_id desc limit 1',
);
const findNewestMigration = statement(
  'schema_migration.find_newest_moment',
  'select applied_at as moment from schema_migration order by version desc limit 1',
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

/** The numbers of all migrations that a database has seen; none where it has no tables. */
export async function listSchemaVersions(sql: Sql): Promise<ReadonlySet<number>> {
  if ((await findSchemaVersion(sql)) === 0) return new Set();
  return new Set((await sql.all<{ version: number }>(listApplied)).map(({ version }) => version));
}

/** What a database whose tables are there remembers of its migrations, the oldest first: the same in no two databases. */
export function listSchemaRecords(
  sql: Sql,
): Promise<readonly { readonly version: number; readonly name: string; readonly appliedAt: string }[]> {
  return sql.all(listRecords);
}

/**
 * Whether every migration above a number says that older nodes may go on, for tables whose migrations say anything of it.
 *
 * @param newest the number of the newest migration that is known
 */
export async function isOpenToOlderNodes(sql: Sql, newest: number): Promise<boolean> {
  return (await sql.first(findStopping, newest)) === undefined;
}

/**
 * Whether a program that knows the migrations up to a number may work on the tables of a database: they are not newer, or
 * all that is newer says so.
 *
 * @throws where the database cannot be asked
 */
export async function mayWorkOnTables(sql: Sql, newest: number): Promise<boolean> {
  if ((await findSchemaVersion(sql)) <= newest) return true;
  try {
    return await isOpenToOlderNodes(sql, newest);
  } catch (error) {
    if (error instanceof StorageAway || error instanceof StorageBusy) throw error;
    // The newer version is one that did not say such things yet.
    return false;
  }
}

/**
 * The latest moment of which the database knows by a recorded change or a migration, as a timestamp; null where it knows
 * of none. For databases whose tables are there, of this version or an older one.
 */
export async function findYoungestMoment(sql: Sql): Promise<string | null> {
  const versions = await listSchemaVersions(sql);
  const found = [
    ...(versions.size === 0 ? [] : [findNewestMigration]),
    ...(versions.has(EVENTS_SINCE) ? [findNewestEvent] : []),
  ];
  const moments = await Promise.all(found.map((each) => sql.first<{ moment: string }>(each)));
  return (
    moments
      .flatMap((each) => each?.moment ?? [])
      .sort()
      .at(-1) ?? null
  );
}

/** When the newest event occurred, as a timestamp; undefined where there is none. For databases of this version. */
export async function findNewestEventMoment(sql: Sql): Promise<string | undefined> {
  return (await sql.first<{ moment: string }>(findNewestEvent))?.moment;
}

/** The migration that made the table of events. */
const EVENTS_SINCE = 16;
