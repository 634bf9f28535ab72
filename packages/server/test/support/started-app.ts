import { after, before } from 'node:test';
import type { Storage } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { startApp, type TestApp } from './app.ts';
import { plainStorage } from './storages.ts';

/** The app of a group of tests, with the parameters of {@link startApp}: it runs from before them until after them. */
export function startedApp(...started: Parameters<typeof startApp>): TestApp {
  const app = {} as TestApp;
  before(async () => {
    Object.assign(app, await startApp(...started));
  });
  after(() => app.stop());
  return app;
}

/** The same, with a storage on its database. */
export function startedWithStorage(...started: Parameters<typeof startApp>): {
  readonly app: TestApp;
  readonly storage: Storage;
} {
  const app = {} as TestApp;
  const storage = {} as Storage;
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
