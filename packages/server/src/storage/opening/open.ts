/** Chooses the engine. */
import type { Measures } from '../../ground/measures/measures.ts';
import type { AvailabilityWatch } from '../contract/availability.ts';
import type { Database } from '../contract/database.ts';
import type { Storage } from '../contract/storage.ts';
import { type MigrationConnection, type MigrationListener, migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations as ownMigrations } from '../migrations/migrations.ts';
import { listSchemaVersions } from '../migrations/schema-store.ts';
import { openPostgres } from '../postgres/postgres.ts';
import { encryptionWarnings } from '../postgres/postgres-encryption.ts';
import { openPostgresForMigration } from '../postgres/postgres-migration.ts';
import type { WatchBounds } from '../postgres/postgres-watch.ts';
import { openSqlite, openSqliteForMigration } from '../sqlite/sqlite.ts';
import { hardLinkWarnings } from '../sqlite/sqlite-file.ts';
import { refuseIncompleteCopy } from './copy-progress-store.ts';

/**
 * Opens a database without migrating it; call {@link migrateDatabase} first.
 *
 * @param options.poolSize most connections to PostgreSQL at once, 10 by default; ignored for SQLite
 * @param options.lockTimeoutMs how long a write waits for another process to release the SQLite file
 * @param options.watchBounds when PostgreSQL counts as away; ignored for SQLite
 * @param options.availability follows the state of the SQLite file; PostgreSQL has its own
 * @param options.noticed called once with each warning for the operator about the PostgreSQL sessions
 * @param options.measures receives measurements of commits and connections; undefined measures nothing
 * @throws if the database cannot be reached or opened; the message never shows the URL
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
  }: {
    poolSize?: number;
    lockTimeoutMs?: number | undefined;
    watchBounds?: WatchBounds | undefined;
    noticed?: ((warning: string) => void) | undefined;
    measures?: Measures | undefined;
    availability?: AvailabilityWatch | undefined;
  } = {},
): Promise<Storage> {
  return database.engine === 'sqlite'
    ? openSqlite({ ...database, lockTimeoutMs, measures, availability })
    : openPostgres({
        url: database.url,
        watchBounds,
        noticed,
        measures,
        ...(poolSize === undefined ? {} : { poolSize }),
      });
}

/** Opens a database as {@link openStorage} does, runs `work` in it, and closes it. */
export async function withStorage<T>(
  database: Database,
  options: Parameters<typeof openStorage>[1],
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(database, options);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Returns warnings for the operator about the location of the database and the connection to it, without secrets. */
export function databaseWarnings(database: Database): string[] {
  return database.engine === 'sqlite' ? hardLinkWarnings(database.file) : encryptionWarnings(database.url);
}

/**
 * Brings the tables of a database up to date; does nothing if they are.
 *
 * @param now milliseconds since 1970
 * @param migrations in ascending order of number; the service's own by default
 * @param listener called for each migration that is applied
 * @param signal stops before the next statement; the migration in progress is rolled back
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
 * Prepares a database for the service: brings its tables up to date.
 *
 * @param now milliseconds since 1970
 * @param listener called for each migration that is applied
 * @param signal stops before the next statement; the migration in progress is rolled back
 * @throws as {@link migrateDatabase} does, and if the database is an incomplete copy
 */
export async function prepareDatabase(
  database: Database,
  now: number,
  listener?: MigrationListener,
  signal?: AbortSignal,
): Promise<void> {
  await migrateDatabase(database, now, ownMigrations, listener, signal);
  await withStorage(database, { poolSize: 1 }, (storage) => storage.read(refuseIncompleteCopy));
}

/**
 * Returns the migrations that {@link migrateDatabase} would apply. Changes nothing.
 *
 * @throws as {@link openStorage} does
 */
export async function listPendingMigrations(database: Database): Promise<readonly Migration[]> {
  const applied = await withStorage(database, {}, (storage) => storage.read(listSchemaVersions));
  return ownMigrations.filter(({ version }) => !applied.has(version));
}

/** The number of the newest migration in this release. */
export const newestSchemaVersion = (): number => ownMigrations.at(-1)!.version;

function openForMigration(database: Database): Promise<MigrationConnection> {
  return database.engine === 'sqlite' ? openSqliteForMigration(database) : openPostgresForMigration(database.url);
}
