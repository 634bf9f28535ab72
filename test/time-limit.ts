/**
 * Ends a test file that takes too long, so that a hang is a failure with a name: `node --test --import` this. Node.js
 * limits the time of single tests only; a file that waits outside of its tests would go on.
 */
import { isMainThread, Worker } from 'node:worker_threads';

/** Many times the time of the longest file on two busy cores. */
const LIMIT_MS = Number(process.env.LATCHKEY_TEST_FILE_LIMIT_MS ?? 5 * 60_000);

/** Runs in a thread of its own, because a thread that counts to infinity cannot look at the clock. */
const watch = `
  const { parentPort, workerData } = require('node:worker_threads');
  let timer;
  const enter = ({ file, limitMs }) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      require('node:fs').writeSync(2, file + ' was ended: it took longer than ' + limitMs / 1000 + ' seconds\\n');
      process.kill(process.pid, 'SIGKILL');
    }, limitMs);
  };
  enter(workerData);
  parentPort.on('message', enter);
  parentPort.unref();
`;

// The runner reads this module as well, and so do the threads that tests start.
let worker: Worker | undefined;
if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  const workerData = { file: process.argv[1], limitMs: LIMIT_MS };
  worker = new Worker(watch, { eval: true, execArgv: [], workerData });
  worker.unref();
}

/** Restarts the limit for another file of this process. */
export function enterFile(file: string, limitMs: number = LIMIT_MS): void {
  worker?.postMessage({ file, limitMs });
}
