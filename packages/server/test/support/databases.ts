/** Databases for tests: `for (const engine of engines) describe(engine, ...)`, with a database of its own each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../src/clock.ts';
import { mintUuid } from '../../src/random.ts';
import { type Database, migrateDatabase } from '../../src/storage/open.ts';
import { LentDatabases, PREFIX_VARIABLE } from './lent-databases.ts';
import { startPostgres } from './postgres-server.ts';

export type Engine = 'sqlite' | 'postgres';

/** Set by `npm run conformance` alone, which tries the server of somebody else. */
const prefix = process.env[PREFIX_VARIABLE];

/** The engines that tests run on: both, but for `npm run conformance`. */
export const engines: readonly Engine[] = prefix === undefined ? ['sqlite', 'postgres'] : ['postgres'];

/** A database that one test, or one group of tests, has to itself. */
export interface TestDatabase {
  readonly database: Database;
  /** Removes it with all that is in it, also from under an open connection. */
  remove(): Promise<void>;
}

/** A database with the service's tables, and no rows in them. */
export async function freshDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') {
    if (prefix !== undefined) return (await lentDatabases(prefix)).fresh();
    template ??= migratedTemplate();
    return createPostgresDatabase(await template);
  }
  const fresh = await emptyDatabase(engine);
  await migrateDatabase(fresh.database, systemClock());
  return fresh;
}

/** A database without tables. */
export async function emptyDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') {
    if (prefix !== undefined) return (await lentDatabases(prefix)).empty();
    return createPostgresDatabase('template0');
  }
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  return {
    database: { engine, file: join(directory, 'latchkey.db') },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The server of the whole run, or one for this process alone when a test file is run by itself. */
let server: Promise<string> | undefined;
/** The name of a migrated database that this process clones, which is quicker than migrating each. */
let template: Promise<string> | undefined;
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

async function migratedTemplate(): Promise<string> {
  const { database } = await createPostgresDatabase('template0');
  await migrateDatabase(database, systemClock());
  return new URL((database as { url: string }).url).pathname.slice(1);
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
