/** Storages for tests of parts that need no service. */
import { after, before } from 'node:test';
import { type Database, openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type Engine, freshDatabase } from './databases.ts';

/** A storage on a fresh database, which a test closes and removes at its end. */
export async function freshStorage(engine: Engine, test: { after(end: () => Promise<void>): void }): Promise<Storage> {
  const { database, remove } = await freshDatabase(engine);
  const storage = await openStorage(database);
  test.after(async () => {
    await storage.close();
    await remove();
  });
  return storage;
}

/** The storage of a group of tests, on a fresh database: it is open from before them until after them. */
export function startedStorage(engine: Engine): Storage {
  const storage = {} as Storage;
  let remove = async () => {};
  before(async () => {
    const fresh = await freshDatabase(engine);
    remove = fresh.remove;
    await openInto(storage, fresh.database);
  });
  after(async () => {
    await storage.close();
    await remove();
  });
  return storage;
}

/** Opens a database for an object that tests hold already. */
export async function openInto(storage: Storage, database: Database): Promise<void> {
  const opened = await openStorage(database);
  const { engine } = opened;
  const functions = ['read', 'transaction', 'onCommitted', 'onAvailability', 'close'] as const;
  const bound = functions.map((name) => [name, opened[name].bind(opened)]);
  Object.assign(storage, { engine, ...Object.fromEntries(bound) });
}
