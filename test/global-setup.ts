/** Creates the shared fixtures of a run before its first test file, and removes them after the last. */
import * as ofConsole from '../packages/console/test/support/global-setup.ts';
import * as ofServer from '../packages/server/test/support/global-setup.ts';

/** The packages whose tests run. */
const packages = (process.env.LATCHKEY_TEST_PACKAGES ?? '').split(',');

/** Called by node:test. */
export async function globalSetup(): Promise<void> {
  await Promise.all([ofServer.prepare(), packages.includes('packages/console') ? ofConsole.prepare() : null]);
}

/** Called by node:test. */
export async function globalTeardown(): Promise<void> {
  await ofServer.remove();
  await ofConsole.remove();
}
