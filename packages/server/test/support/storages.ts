/** Storages for tests of parts that need no service. */
import { after, before } from 'node:test';
import type { Database } from '../../src/storage/contract/database.ts';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { type Engine, freshDatabase } from './databases.ts';

/** Opens a fresh database for one test; after it, closes and removes the database. */
export async function freshStorage(
  engine: Engine,
  test: { after(end: () => Promise<void>): void },
): Promise<{ readonly database: Database; readonly storage: Storage }> {
  const { database, remove } = await freshDatabase(engine);
  const storage = await openStorage(database);
  test.after(async () => {
    await storage.close();
    await remove();
  });
  return { database, storage };
}

/** The storage of a group of tests, on a fresh database: it is open from before them until after them. */
export function startedStorage(engine: Engine): Storage {
  const storage = {} as Storage;
  let remove = async () => {};
  before(async () => {
    const fresh = await freshDatabase(engine);
    remove = fresh.remove;
    Object.assign(storage, plainStorage(await openStorage(fresh.database)));
  });
  after(async () => {
    await storage.close();
    await remove();
  });
  return storage;
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
