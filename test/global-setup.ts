/** Creates the shared fixtures of a run before its first test file, and removes them after the last. */
import * as ofConsole from '../packages/console/test/support/global-setup.ts';
import type { Engine } from '../packages/server/test/support/databases.ts';
import * as ofServer from '../packages/server/test/support/global-setup.ts';

/** The packages whose tests run. */
const packages = (process.env.LATCHKEY_TEST_PACKAGES ?? '').split(',');

/** Called by node:test. */
export async function globalSetup(): Promise<void> {
  // The console's tests use SQLite only.
  const engines: readonly Engine[] = packages.every((name) => name === 'packages/console')
    ? ['sqlite']
    : ['sqlite', 'postgres'];
  await Promise.all([ofServer.prepare(engines), packages.includes('packages/console') ? ofConsole.prepare() : null]);
}

/** Called by node:test. */
export async function globalTeardown(): Promise<void> {
  await ofServer.remove();
  await ofConsole.remove();
}
