/** Entry of a storage thread that serves one app after the other, see kept-threads.ts. */
import { parentPort } from 'node:worker_threads';
import { serveStorage } from '../../src/runtime/dispatch/serve-storage.ts';
import type { Task } from './kept-threads.ts';

parentPort!.on('message', ({ port, data }: Task) => {
  port.on('close', () => parentPort!.postMessage('free'));
  // A rejection ends the thread with its error, as it does in a thread of a single service.
  void serveStorage(port, data);
});
