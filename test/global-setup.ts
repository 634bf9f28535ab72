/** Creates the shared fixtures of a package before its first test file, and removes them after the last. */
import * as ofConsole from '../packages/console/test/support/global-setup.ts';
import * as ofServer from '../packages/server/test/support/global-setup.ts';

/** Called by node:test. */
export const { globalSetup, globalTeardown } =
  process.env.LATCHKEY_TEST_PACKAGE === 'packages/console' ? ofConsole : ofServer;
