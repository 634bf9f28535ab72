import { after, before } from 'node:test';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type Engine, freshDatabase } from './databases.ts';

/** The storage of a fresh database for a group of tests: it is open from before them until after them. */
export function startedStorage(engine: Engine): Storage {
  const storage = {} as Storage;
  let end = async () => {};
  before(async () => {
    const fresh = await freshDatabase(engine);
    const opened = await openStorage(fresh.database);
    const [read, transaction] = [opened.read.bind(opened), opened.transaction.bind(opened)];
    Object.assign(storage, { engine, read, transaction });
    end = async () => {
      await opened.close();
      await fresh.remove();
    };
  });
  after(() => end());
  return storage;
}
