/** Prepares what the test files of a package share, before the first of them, and removes it after the last. */
import * as ofConsole from '../packages/console/test/support/global-setup.ts';
import * as ofServer from '../packages/server/test/support/global-setup.ts';

/** Called by node:test. */
export const { globalSetup, globalTeardown } =
  process.env.LATCHKEY_TEST_PACKAGE === 'packages/console' ? ofConsole : ofServer;
