/** Databases with the tables of the storage tests. */
import { after, before } from 'node:test';
import type { Database } from '../../src/storage/contract/database.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { migrateDatabase, openStorage } from '../../src/storage/opening/open.ts';
import { openPostgres, type PostgresOptions } from '../../src/storage/postgres/postgres.ts';
import { type Engine, emptyDatabase } from '../support/databases.ts';
import type { Owner } from '../support/for-test.ts';
import { countersAndSamples } from './test-migrations.ts';

/** A storage of the test tables. */
export interface TestStorage {
  readonly storage: Storage;
  readonly database: Database;
  /** Closes the storage and removes the database. */
  remove(): Promise<void>;
}

export async function openTestStorage(engine: Engine): Promise<TestStorage> {
  const { database, remove } = await emptyDatabase(engine);
  await migrateDatabase(database, 0, countersAndSamples);
  const storage = await openStorage(database);
  return {
    storage,
    database,
    remove: async () => {
      await storage.close();
      await remove();
    },
  };
}

/** The storage of a group of tests: it is open from before them until after them. */
export function openedTestStorage(engine: Engine): TestStorage {
  const opened = {} as TestStorage;
  before(async () => {
    Object.assign(opened, await openTestStorage(engine));
  });
  after(() => opened.remove());
  return opened;
}

/** The storage of one test. */
export async function testStorageFor(test: Owner, engine: Engine): Promise<TestStorage> {
  const opened = await openTestStorage(engine);
  test.after(opened.remove);
  return opened;
}

/** A storage on PostgreSQL that is closed after a test. */
export async function postgresFor(test: Owner, options: PostgresOptions): Promise<Storage> {
  const storage = await openPostgres(options);
  test.after(() => storage.close());
  return storage;
}
