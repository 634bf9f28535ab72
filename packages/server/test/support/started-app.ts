import { after, before } from 'node:test';
import { startApp, type TestApp } from './app.ts';

/** The app of a group of tests, with the parameters of {@link startApp}: it runs from before them until after them. */
export function startedApp(...started: Parameters<typeof startApp>): TestApp {
  const app = {} as TestApp;
  before(async () => {
    Object.assign(app, await startApp(...started));
  });
  after(() => app.stop());
  return app;
}
