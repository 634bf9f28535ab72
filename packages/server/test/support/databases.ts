/** Databases for tests: `for (const engine of engines) describe(engine, ...)`, with a separate database each. */
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/ground/base/clock.ts';
import { mintUuid } from '../../src/ground/base/random.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { LentDatabases, PREFIX_VARIABLE } from './lent-databases.ts';
import { startPostgres } from './postgres-server.ts';
import type { TestDatabase } from './test-database.ts';

export type Engine = 'sqlite' | 'postgres';

/** Set only by `npm run conformance`, which tests a server that another operator runs. */
const prefix = process.env[PREFIX_VARIABLE];

/** The engines that tests run on: both, except for `npm run conformance`. */
export const engines: readonly Engine[] = prefix === undefined ? ['sqlite', 'postgres'] : ['postgres'];

/** Variables of the environment that name the migrated databases of a run, see {@link makeTemplates}. */
const TEMPLATE_VARIABLES: Readonly<Record<Engine, string>> = {
  sqlite: 'LATCHKEY_TEST_SQLITE_TEMPLATE',
  postgres: 'LATCHKEY_TEST_POSTGRES_TEMPLATE',
};

/** The test after which a database is removed. */
interface Test {
  after(remove: () => Promise<void>): void;
}

/** A database with the service's tables, without rows. It is removed after the test; without a test, by the caller. */
export async function freshDatabase(engine: Engine, test?: Test): Promise<TestDatabase> {
  return removedAfter(test, await migratedCopy(engine));
}

/** A copy of a database that nobody has open. */
export async function duplicateDatabase(original: Database, test?: Test): Promise<TestDatabase> {
  const copy =
    original.engine === 'sqlite' ? await copyOfFile(original.file) : await createPostgresDatabase(nameOf(original));
  return removedAfter(test, copy);
}

/** A database without tables. */
export async function emptyDatabase(engine: Engine, test?: Test): Promise<TestDatabase> {
  return removedAfter(test, engine === 'sqlite' ? (await emptyFile()).made : await emptyPostgresDatabase());
}

function removedAfter(test: Test | undefined, made: TestDatabase): TestDatabase {
  test?.after(made.remove);
  return made;
}

/**
 * Makes the migrated databases that {@link freshDatabase} copies in each process of a run, which is much quicker than
 * migrating each. PostgreSQL's is made on the server of LATCHKEY_TEST_POSTGRES_URL.
 *
 * @returns the environment variables that name them, and a function that removes the file
 */
export async function makeTemplates(): Promise<{ environment: Record<string, string>; remove(): Promise<void> }> {
  const [sqlite, postgres] = [await migratedDatabase('sqlite'), await migratedDatabase('postgres')];
  await administration?.end();
  const environment = {
    [TEMPLATE_VARIABLES.sqlite]: nameOf(sqlite.database),
    [TEMPLATE_VARIABLES.postgres]: nameOf(postgres.database),
  };
  return { environment, remove: sqlite.remove };
}

async function migratedCopy(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres' && prefix !== undefined) return (await lentDatabases(prefix)).fresh();
  templates[engine] ??= migratedTemplate(engine);
  const template = await templates[engine];
  return engine === 'sqlite' ? copyOfFile(template) : createPostgresDatabase(template);
}

async function copyOfFile(original: string): Promise<TestDatabase> {
  const { file, made } = await emptyFile();
  await copyFile(original, file);
  return made;
}

async function emptyFile(): Promise<{ readonly file: string; readonly made: TestDatabase }> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  const file = join(directory, 'latchkey.db');
  const remove = () => rm(directory, { recursive: true, force: true });
  return { file, made: { database: { engine: 'sqlite', file }, remove } };
}

async function emptyPostgresDatabase(): Promise<TestDatabase> {
  return prefix === undefined ? createPostgresDatabase('template0') : (await lentDatabases(prefix)).empty();
}

/** The server of the whole run, or one for this process alone when a test file is run alone. */
let server: Promise<string> | undefined;
/** Names of the migrated databases, once this process has asked for them: a file, or the name of a database. */
const templates: Partial<Record<Engine, Promise<string>>> = {};
/** The databases of `npm run conformance`. */
let lent: LentDatabases | undefined;
/** The connection that makes and drops databases; does not keep the process alive. */
let administration: pg.Pool | undefined;

async function serverUrl(): Promise<string> {
  server ??= (async () => process.env.LATCHKEY_TEST_POSTGRES_URL ?? (await startPostgres()).url)();
  return server;
}

async function lentDatabases(prefix: string): Promise<LentDatabases> {
  const url = await serverUrl();
  lent ??= new LentDatabases(url, prefix);
  return lent;
}

/** That of the run, or one of this process alone when a test file is run alone. */
async function migratedTemplate(engine: Engine): Promise<string> {
  const shared = process.env[TEMPLATE_VARIABLES[engine]];
  if (shared !== undefined) return shared;
  const own = await migratedDatabase(engine);
  if (own.database.engine === 'sqlite') {
    const directory = dirname(own.database.file);
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  }
  return nameOf(own.database);
}

async function migratedDatabase(engine: Engine): Promise<TestDatabase> {
  const empty = await emptyDatabase(engine);
  await migrateDatabase(empty.database, systemClock());
  return empty;
}

function nameOf(database: Database): string {
  return database.engine === 'sqlite' ? database.file : new URL(database.url).pathname.slice(1);
}

async function createPostgresDatabase(original: string): Promise<TestDatabase> {
  const url = new URL(await serverUrl());
  administration ??= new pg.Pool({ connectionString: url.href, max: 1, allowExitOnIdle: true });
  const name = `latchkey_${mintUuid().replaceAll('-', '')}`;
  await administration.query(`create database ${name} template ${original} strategy file_copy`);
  url.pathname = name;
  return {
    database: { engine: 'postgres', url: url.href },
    remove: async () => {
      await administration!.query(`drop database ${name} with (force)`);
    },
  };
}
