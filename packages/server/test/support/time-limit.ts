/**
 * Ends a test file that takes too long, so that a hang is a failure with a name: `node --test --import` this. Node.js
 * limits the time of single tests only, and a file whose test was given up, or which waits outside of any test, goes on.
 */
import { isMainThread, Worker } from 'node:worker_threads';

/** Many times what the longest file takes on two busy cores. */
const LIMIT_MS = Number(process.env.LATCHKEY_TEST_FILE_LIMIT_MS ?? 5 * 60_000);

/** Runs in a thread of its own: one that counts to infinity cannot look at the clock. */
const watch = `
  const { workerData: { file, limitMs } } = require('node:worker_threads');
  setTimeout(() => {
    require('node:fs').writeSync(2, file + ' was ended: it took longer than ' + limitMs / 1000 + ' seconds\\n');
    process.kill(process.pid, 'SIGKILL');
  }, limitMs);
`;

// The runner reads this module as well, and so do the threads that tests start.
if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  const workerData = { file: process.argv[1], limitMs: LIMIT_MS };
  new Worker(watch, { eval: true, execArgv: [], workerData }).unref();
}
