/** Entry of a storage thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { serveStorage } from './serve-storage.ts';

if (parentPort === null) throw new Error('storage-thread-entry.ts runs as a worker thread only');
await serveStorage(parentPort, workerData);
