/**
 * Storage threads that serve one app after the other. A new thread costs an app 0.1 CPU-seconds, because it reads every
 * module again and runs all code for the first time. Each app still has its own writer and its own reader, which open
 * connections of their own and receive messages only. Tests of the threads themselves pass the bound `startThread:
 * startOwnThread`.
 */
import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { StorageThreadData, ThreadHandle } from '../../src/runtime/dispatch/storage-thread.ts';

/** Message to a thread: the next file to serve, and the port of its service. */
export interface Task {
  readonly port: MessagePort;
  readonly data: StorageThreadData;
}

/** Threads that serve no app. */
const idle: Worker[] = [];

/** A storage thread for one app: the one that became idle last, or a new one. */
export function startKeptThread(data: StorageThreadData): ThreadHandle {
  const worker = idle.pop() ?? startWorker();
  const { port1: here, port2: port } = new MessageChannel();
  const handle = new EventEmitter();
  const failed = (error: unknown) => handle.emit('error', error);
  const ended = (code: number) => {
    worker.off('error', failed).off('exit', ended).off('message', freed);
    handle.emit('exit', code);
  };
  // The thread says only one thing on its own port: that nothing of its last task is left.
  const freed = () => {
    ended(0);
    worker.unref();
    idle.push(worker);
  };
  worker.on('error', failed).on('exit', ended).on('message', freed);
  worker.ref();
  here.on('message', (message) => handle.emit('message', message));
  worker.postMessage({ port, data } satisfies Task, [port]);
  return Object.assign(handle, {
    postMessage: here.postMessage.bind(here),
  }) as unknown as ThreadHandle;
}

function startWorker(): Worker {
  return new Worker(new URL('./kept-thread-entry.ts', import.meta.url));
}
