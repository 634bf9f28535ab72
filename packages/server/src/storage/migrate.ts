/** Brings a database's tables up to date from numbered SQL files, once each, however many nodes start together. */
import { readdir, readFile } from 'node:fs/promises';
import { toTimestamp } from '../clock.ts';
import { statement, type Tx } from './storage.ts';

/** A connection for migrating. */
export interface MigrationConnection {
  /**
   * Runs `work` in a transaction, one migrating process at a time; the others wait. `script` runs SQL of any number of
   * statements.
   */
  exclusively<T>(work: (tx: Tx, script: (text: string) => Promise<void>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Migration {
  readonly version: number;
  /** The file's name without its ending: `0001_licenses`. */
  readonly name: string;
  readonly text: string;
}

const TABLE = `create table if not exists schema_migration (
  version integer not null primary key,
  name text not null,
  applied_at text not null
)`;

const findVersion = statement('schema_migration.find', 'select version from schema_migration where version = $1');

const findNewest = statement(
  'schema_migration.find_newest',
  'select version from schema_migration order by version desc limit 1',
);

const insertVersion = statement(
  'schema_migration.insert',
  'insert into schema_migration (version, name, applied_at) values ($1, $2, $3)',
);

/**
 * Applies the files `NNNN_name.sql` of a directory that the database has not seen yet, in order, each in a transaction
 * of its own together with its record in `schema_migration`.
 *
 * @param connection one of `openSqliteForMigration` or `openPostgresForMigration`; stays open
 * @param directory the engine's migrations
 * @param now milliseconds since 1970, recorded as the time of application
 * @returns the names of the migrations that this call applied
 * @throws when the database has a newer schema than the newest file, when two files have one number, or when a
 *   migration fails, of which nothing stays
 */
export async function migrate(
  connection: MigrationConnection,
  directory: URL,
  now: number,
): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  const newest = migrations.at(-1)?.version ?? 0;
  await connection.exclusively(async (tx, script) => {
    await script(TABLE);
    await refuseNewerSchema(tx, newest);
  });

  const applied: string[] = [];
  for (const { version, name, text } of migrations) {
    const isApplied = await connection.exclusively(async (tx, script) => {
      await refuseNewerSchema(tx, newest);
      if (await tx.first(findVersion, version)) return false;
      await script(text).catch((error: unknown) => {
        throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
      });
      await tx.run(insertVersion, version, name, toTimestamp(now));
      return true;
    });
    if (isApplied) applied.push(name);
  }
  return applied;
}

async function refuseNewerSchema(tx: Tx, newest: number): Promise<void> {
  const found = await tx.first<{ version: number }>(findNewest);
  if (found && found.version > newest) {
    throw new Error(
      `The database has schema version ${found.version}, this Latchkey knows ${newest}. Start the newer version.`,
    );
  }
}

async function readMigrations(directory: URL): Promise<readonly Migration[]> {
  const files = (await readdir(directory)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  const migrations = await Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file.slice(0, -'.sql'.length),
      text: await readFile(new URL(file, directory), 'utf8'),
    })),
  );
  for (const [index, migration] of migrations.entries()) {
    if (migration.version === migrations[index - 1]?.version) {
      throw new Error(`two migrations have the number ${migration.version}`);
    }
  }
  return migrations;
}
