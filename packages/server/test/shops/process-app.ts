/** A server process as the helpers of tests use an app. */
import { ADMIN_SECRET, type TestApp } from '../support/app.ts';
import type { ServerProcess } from '../support/server-process.ts';

/** Calls the process that `serving` returns at the time of each call. */
export function appOf(serving: () => Pick<ServerProcess, 'port' | 'send'>): TestApp {
  const send: TestApp['send'] = (path, body, options) => serving().send(path, body, options);
  const admin: TestApp['admin'] = (path, body = {}, options) =>
    send(path, { adminSecret: ADMIN_SECRET, ...body }, options);
  return {
    ...{ send, admin, clock: { now: Date.now } },
    get port() {
      return serving().port;
    },
  } as unknown as TestApp;
}
