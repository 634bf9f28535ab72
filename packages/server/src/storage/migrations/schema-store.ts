/** The schema version of a database. */
import { type Sql, StorageAway, StorageBusy, statement } from '../contract/storage.ts';

const findApplied = statement(
  'schema_migration.find_applied',
  `select m.version as "version", (select f.name from schema_migration f where f.version = 1) as "first"
   from schema_migration m order by m.version desc limit 1`,
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

// Event ids rise with time: the highest id is the newest event.
const findNewestEvent = statement(
  'event.find_newest_moment',
  'select occurred_at as moment from event order by event_id desc limit 1',
);
const findNewestMigration = statement(
  'schema_migration.find_newest_moment',
  'select applied_at as moment from schema_migration order by version desc limit 1',
);

/** Builds before 1.0.0 began with this migration. */
const FIRST_OF_EARLIER_BUILDS = '0001_licenses';

/** A database has the tables of a build before 1.0.0, which no migration updates. */
export class EarlierBuild extends Error {
  constructor() {
    super(
      'The tables are those of a build before Latchkey 1.0.0, which cannot be updated. Write its data to a file with ' +
        'the command export of that build, and read the file into an empty database with the command import of this one.',
    );
  }
}

/**
 * The number of the newest applied migration; 0 if none was applied or the database has no tables.
 *
 * @throws StorageAway or StorageBusy when the database cannot answer, {@link EarlierBuild} for tables before 1.0.0
 */
export async function findSchemaVersion(sql: Sql): Promise<number> {
  try {
    return await newestVersion(sql);
  } catch (error) {
    if (error instanceof StorageAway || error instanceof StorageBusy || error instanceof EarlierBuild) throw error;
    // Each engine reports a missing table in its own words.
    return 0;
  }
}

/**
 * The number of the newest applied migration; 0 if none was applied. The table of migrations must exist.
 *
 * @throws {@link EarlierBuild} for tables before 1.0.0
 */
export async function newestVersion(sql: Sql): Promise<number> {
  const found = await sql.first<{ readonly version: number; readonly first: string | null }>(findApplied);
  if (found?.first === FIRST_OF_EARLIER_BUILDS) throw new EarlierBuild();
  return found?.version ?? 0;
}

/** The numbers of all applied migrations; empty if the database has no tables. */
export async function listSchemaVersions(sql: Sql): Promise<ReadonlySet<number>> {
  return (await findSchemaVersion(sql)) === 0 ? new Set() : versionsOf(sql);
}

/** The numbers of all applied migrations. The table of migrations must exist. */
export async function versionsOf(sql: Sql): Promise<ReadonlySet<number>> {
  return new Set((await sql.all<{ version: number }>(listApplied)).map(({ version }) => version));
}

/** The migration records of a database that has tables, oldest first. No two databases have the same records. */
export function listSchemaRecords(
  sql: Sql,
): Promise<readonly { readonly version: number; readonly name: string; readonly appliedAt: string }[]> {
  return sql.all(listRecords);
}

/**
 * Whether a program that knows the migrations up to `newest` may use the tables: either none is newer, or every newer
 * migration lets older nodes go on.
 *
 * @throws as {@link findSchemaVersion} does
 */
export async function mayWorkOnTables(sql: Sql, newest: number): Promise<boolean> {
  return (await findSchemaVersion(sql)) <= newest || (await sql.first(findStopping, newest)) === undefined;
}

/** The timestamp of the newest recorded event or migration; null if the database has no tables. */
export async function findYoungestMoment(sql: Sql): Promise<string | null> {
  if ((await findSchemaVersion(sql)) === 0) return null;
  const moments = await Promise.all(
    [findNewestMigration, findNewestEvent].map((each) => sql.first<{ readonly moment: string }>(each)),
  );
  return (
    moments
      .flatMap((each) => each?.moment ?? [])
      .sort()
      .at(-1) ?? null
  );
}

/** The timestamp of the newest event; undefined if there is none. The tables must have the current version. */
export async function findNewestEventMoment(sql: Sql): Promise<string | undefined> {
  return (await sql.first<{ moment: string }>(findNewestEvent))?.moment;
}
