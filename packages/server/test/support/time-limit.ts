/**
 * Ends a test file that takes too long, so that a hang is a failure with a name: `node --test --import` this. Node.js
 * limits the time of single tests only; a file whose test was given up, or which waits outside of any test, runs on.
 */
import { isMainThread, Worker } from 'node:worker_threads';

/** Many times the duration of the longest file on two busy cores. */
const LIMIT_MS = Number(process.env.LATCHKEY_TEST_FILE_LIMIT_MS ?? 5 * 60_000);

/** Runs in a separate thread: one that counts to infinity cannot look at the clock. */
const watch = `
  const { workerData: { file, limitMs } } = require('node:worker_threads');
  setTimeout(() => {
    require('node:fs').writeSync(2, file + ' was ended: it took longer than ' + limitMs / 1000 + ' seconds\\n');
    process.kill(process.pid, 'SIGKILL');
  }, limitMs);
`;

// The runner loads this module, too, and so do the threads that tests start.
if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  const workerData = { file: process.argv[1], limitMs: LIMIT_MS };
  new Worker(watch, { eval: true, execArgv: [], workerData }).unref();
}
