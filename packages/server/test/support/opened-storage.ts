/** Storages that tests open themselves, without a service or beside it. */
import { after, before, type TestContext } from 'node:test';
import { type Database, openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { startApp, type TestApp } from './app.ts';
import { type Engine, freshDatabase } from './databases.ts';

/** Opens a fresh database for one test; after it, closes and removes the database. */
export async function openedStorage(
  test: Pick<TestContext, 'after'>,
  engine: Engine,
): Promise<{ readonly database: Database; readonly storage: Storage }> {
  const { database, remove } = await freshDatabase(engine);
  const storage = await openStorage(database);
  test.after(async () => {
    await storage.close();
    await remove();
  });
  return { database, storage };
}

/**
 * The app of a group of tests and a second storage on its database, with the parameters of {@link startApp}: both are
 * there from before the tests until after them.
 */
export function startedWithStorage(...started: Parameters<typeof startApp>): {
  readonly app: TestApp;
  readonly storage: Storage;
} {
  const [app, storage] = [{} as TestApp, {} as Storage];
  before(async () => {
    Object.assign(app, await startApp(...started));
    Object.assign(storage, plainStorage(await openStorage(app.database)));
  });
  after(async () => {
    await storage.close();
    await app.stop();
  });
  return { app, storage };
}

/** The same storage as a plain object, whose methods a test can replace. */
export function plainStorage(storage: Storage): Storage {
  return {
    engine: storage.engine,
    read: (work) => storage.read(work),
    transaction: (work) => storage.transaction(work),
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}
