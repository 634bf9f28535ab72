/** Chooses the engine. */
import type { Measures } from '../measures/measures.ts';
import type { AvailabilityWatch } from './availability.ts';
import { refuseIncompleteCopy } from './copy/progress-store.ts';
import { engineDifferences } from './engine-differences.ts';
import { type MigrationConnection, type MigrationListener, migrate } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { migrations as ownMigrations } from './migrations/migrations.ts';
import { openPostgres } from './postgres.ts';
import { encryptionWarnings } from './postgres-encryption.ts';
import { openPostgresForMigration } from './postgres-migration.ts';
import type { WatchBounds } from './postgres-watch.ts';
import { listSchemaVersions } from './schema-store.ts';
import { openSqlite, openSqliteForMigration } from './sqlite.ts';
import { hardLinkWarnings } from './sqlite-file.ts';
import type { WatchedByThread } from './sqlite-writer.ts';
import type { Storage } from './storage.ts';

/** Where the data is. */
export type Database =
  | { readonly engine: 'sqlite' /** Path of the file; made when absent. */; readonly file: string }
  | { readonly engine: 'postgres' /** `postgres://user:password@host:port/name`. */; readonly url: string };

/**
 * Opens a database as it is; {@link migrateDatabase} comes before.
 *
 * @param options.poolSize the most connections to PostgreSQL at once, 10 unless told otherwise; SQLite has no use for it
 * @param options.lockTimeoutMs how long a write waits for another process to let go of the file of SQLite; PostgreSQL has
 *   no use for it
 * @param options.watchBounds when PostgreSQL counts as away; SQLite has no use for it
 * @param options.availability follows what the file of SQLite can do; PostgreSQL has one of its own
 * @param options.noticed told, once, of each thing about the sessions of PostgreSQL that an operator should know
 * @param options.watched the file of SQLite as it is watched, where a service has it to itself
 * @param options.measures where commits and connections are measured, if anywhere
 * @throws when it cannot be reached or opened; the message never shows the URL
 */
export function openStorage(
  database: Database,
  {
    poolSize,
    lockTimeoutMs,
    watchBounds,
    noticed,
    measures,
    availability,
    watched,
  }: {
    poolSize?: number;
    lockTimeoutMs?: number | undefined;
    watchBounds?: WatchBounds | undefined;
    noticed?: ((warning: string) => void) | undefined;
    measures?: Measures | undefined;
    availability?: AvailabilityWatch | undefined;
    watched?: WatchedByThread | undefined;
  } = {},
): Promise<Storage> {
  return database.engine === 'sqlite'
    ? openSqlite({ ...database, lockTimeoutMs, measures, availability, watched })
    : openPostgres({
        url: database.url,
        differences: engineDifferences[database.engine],
        watchBounds,
        noticed,
        measures,
        ...(poolSize === undefined ? {} : { poolSize }),
      });
}

/** Sentences for the operator about where the database is and how it is reached, without secrets in them. */
export function databaseWarnings(database: Database): string[] {
  return database.engine === 'sqlite' ? hardLinkWarnings(database.file) : encryptionWarnings(database.url);
}

/**
 * Brings the tables of a database up to date; does nothing when they are.
 *
 * @param now milliseconds since 1970
 * @param migrations by rising number; the service's own unless told otherwise
 * @param listener hears of each migration that is applied
 * @param signal ends it before the next migration
 * @returns the names of the migrations applied
 * @throws as {@link openStorage} and {@link migrate} do
 */
export async function migrateDatabase(
  database: Database,
  now: number,
  migrations: readonly Migration[] = ownMigrations,
  listener?: MigrationListener,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const connection = await openForMigration(database);
  try {
    return await migrate(connection, migrations, now, listener, signal);
  } finally {
    await connection.close();
  }
}

/**
 * Makes a database ready to be served: its tables are brought up to date.
 *
 * @param now milliseconds since 1970
 * @param listener hears of each migration that is applied
 * @param signal ends it before the next migration
 * @throws as {@link migrateDatabase} does, and where the database is a copy that is not complete
 */
export async function prepareDatabase(
  database: Database,
  now: number,
  listener?: MigrationListener,
  signal?: AbortSignal,
): Promise<void> {
  await migrateDatabase(database, now, ownMigrations, listener, signal);
  const storage = await openStorage(database, { poolSize: 1 });
  try {
    await storage.read(refuseIncompleteCopy);
  } finally {
    await storage.close();
  }
}

/**
 * The migrations that {@link migrateDatabase} would apply. Nothing is made or changed.
 *
 * @throws as {@link openStorage} does
 */
export async function listPendingMigrations(database: Database): Promise<readonly Migration[]> {
  const storage = await openStorage(database);
  try {
    const applied = await storage.read(listSchemaVersions);
    return ownMigrations.filter(({ version }) => !applied.has(version));
  } finally {
    await storage.close();
  }
}

/** The number of the newest migration that this Latchkey knows. */
export const NEWEST_SCHEMA_VERSION = Math.max(...ownMigrations.map(({ version }) => version));

function openForMigration(database: Database): Promise<MigrationConnection> {
  return database.engine === 'sqlite'
    ? openSqliteForMigration(database)
    : openPostgresForMigration(database.url, engineDifferences[database.engine]);
}
