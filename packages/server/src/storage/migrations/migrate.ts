/** Applies the numbered migrations to a database, each exactly once, even if several nodes start together. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { elapsedMs, toTimestamp } from '../../ground/base/clock.ts';
import type { SchemaDialect } from '../contract/engine-differences.ts';
import { statement, type Tx } from '../contract/storage.ts';
import type { Migration } from './migration.ts';
import { mayWorkOnTables, newestVersion, versionsOf } from './schema-store.ts';
import { splitStatements } from './script.ts';

/** A connection for migrating. */
export interface MigrationConnection {
  readonly dialect: SchemaDialect;
  /** Whether the schema for new tables has a table of this name. Needs no right to create tables. */
  hasTable(name: string): Promise<boolean>;
  /**
   * Runs `work` in a transaction, one migrating process at a time; the others wait. `script` runs SQL of any number of
   * statements.
   */
  exclusively<T>(work: (tx: Tx, script: (text: string) => Promise<void>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const TABLE = `create table if not exists schema_migration (
  version integer not null primary key,
  name text not null,
  applied_at text not null,
  older_nodes text not null default 'must stop'
)`;

const findVersion = statement('schema_migration.find', 'select version from schema_migration where version = $1');

const insertVersion = statement(
  'schema_migration.insert',
  'insert into schema_migration (version, name, applied_at, older_nodes) values ($1, $2, $3, $4)',
);

/** Listener for the progress of migrations. */
export interface MigrationListener {
  /** A migration begins: the `number`-th of `count` missing ones. */
  started(name: string, number: number, count: number): void;
  /** The migration is still under way. Called every ten seconds, on SQLite after the statement in progress. */
  underWay(name: string, elapsedMs: number): void;
  /** The migration was applied. */
  done(name: string, durationMs: number): void;
}

/** Interval between reports of a long migration. */
const REPORT_INTERVAL_MS = 10_000;

/**
 * Applies the missing migrations in order, each in its own transaction together with its record in `schema_migration`.
 * If none is missing, only that table is read, and the database role needs no right to create or change tables. A
 * database with newer migrations is accepted if each of them lets older nodes go on.
 *
 * @param connection one of `openSqliteForMigration` or `openPostgresForMigration`; stays open
 * @param migrations by rising number
 * @param now milliseconds since 1970, recorded as the time of application
 * @param signal ends the work before the next statement; the migration in progress is rolled back
 * @returns the names of the migrations that this call applied
 * @throws when the tables are of a build before 1.0.0, when a newer migration in the database requires older nodes to
 *   stop, when the numbers do not rise, or when a migration fails; a failed migration is rolled back
 */
export async function migrate(
  connection: MigrationConnection,
  migrations: readonly Migration[],
  now: number,
  listener?: MigrationListener,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  checkOrder(migrations);
  const newest = migrations.at(-1)?.version ?? 0;
  const recorded = await readVersions(connection, newest);
  const applied: string[] = [];
  const missing = migrations.filter(({ version }) => !recorded.has(version));
  for (const [index, migration] of missing.entries()) {
    await handlingSignals(signal);
    const { version, name, olderNodes } = migration;
    const startedAt = elapsedMs();
    listener?.started(name, index + 1, missing.length);
    const reporting = setInterval(() => listener?.underWay(name, elapsedMs() - startedAt), REPORT_INTERVAL_MS);
    const isApplied = await connection
      .exclusively(async (tx, script) => {
        await refuseUnknownTables(tx, newest);
        if (await tx.first(findVersion, version)) return false;
        for (const text of splitStatements(migration.script(connection.dialect))) {
          await handlingSignals(signal);
          await script(text).catch(failed(`Migration ${name} failed`));
        }
        await tx.run(insertVersion, version, name, toTimestamp(now), olderNodes);
        return true;
      })
      .finally(() => clearInterval(reporting));
    // Another node may have applied this migration first.
    listener?.done(name, elapsedMs() - startedAt);
    if (isApplied) applied.push(name);
  }
  return applied;
}

/** SQLite blocks this thread: signals to stop and timers are handled between two statements. */
async function handlingSignals(signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  signal?.throwIfAborted();
}

const OF_OWNER =
  '. Run the command migrate with a DATABASE_URL of the role that owns the tables; the service may then use its own role';

/** Adds the failed step to an error, and advice to an error of PostgreSQL, which lets only the owner change a table. */
const failed = (what: string) => (cause: Error) => {
  const advice = /must be owner of|permission denied/.test(cause.message) ? OF_OWNER : '';
  throw new Error(`${what}: ${cause.message}${advice}`, { cause });
};

/** The numbers of the applied migrations. Creates the table of migrations if it is missing. */
async function readVersions(connection: MigrationConnection, newest: number): Promise<ReadonlySet<number>> {
  if (!(await connection.hasTable('schema_migration')))
    await connection.exclusively((_tx, script) =>
      script(TABLE).catch(failed('The table schema_migration cannot be created')),
    );
  return connection.exclusively(async (tx) => {
    await refuseUnknownTables(tx, newest);
    return versionsOf(tx);
  });
}

async function refuseUnknownTables(tx: Tx, newest: number): Promise<void> {
  const version = await newestVersion(tx);
  if (version > newest && !(await mayWorkOnTables(tx, newest))) throw new Error(newerTables(version, newest));
}

/** The message for tables of a newer version. @param newest the newest version that this program supports */
export function newerTables(version: number, newest: number): string {
  return `The tables have version ${version}, but this Latchkey supports versions up to ${newest}. Use the newer Latchkey.`;
}

/** Requires rising numbers: some databases would otherwise miss a migration. */
function checkOrder(migrations: readonly Migration[]): void {
  for (const [index, { version, name }] of migrations.entries()) {
    const before = migrations[index - 1];
    if (before !== undefined && version <= before.version) {
      throw new Error(`the migration ${name} comes after ${before.name}: numbers must rise`);
    }
  }
}
