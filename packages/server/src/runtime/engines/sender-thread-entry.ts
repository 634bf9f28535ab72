/** Entry of the worker thread of a sender. See sender-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { clockIn, systemClock } from '../../ground/base/clock.ts';
import type { Sending } from '../../platform/senders/sender.ts';
import { storeBehind } from '../../platform/senders/store-port.ts';
import { senders } from '../../senders.ts';
import { runInBackground } from './background-priority.ts';
import type { FromSenderThread, SenderThreadData, ToSenderThread } from './sender-thread.ts';

const parent = parentPort;
if (parent === null) throw new Error('sender-thread-entry.ts runs as a worker thread only');
runInBackground();
const { name, file, settings, movedClock, port } = workerData as SenderThreadData;
const sender = senders.find((each) => each.name === name);
if (sender === undefined) throw new Error(`no sender is named ${name}`);
const clock = movedClock === undefined ? systemClock : clockIn(movedClock);
const send = (message: FromSenderThread) => parent.postMessage(message);
const stopped = Promise.withResolvers<void>();
parent.on('message', (_message: ToSenderThread) => stopped.resolve());
// The SQLite file is read in this thread, so that the writer thread only writes. With PostgreSQL the thread reads
// nothing itself, so it does not load 125 modules, `pg` and `typebox`.
const fileReads = file === null ? null : await (await import('./file-reads.ts')).openFileReads(file);
const behind = storeBehind<Record<string, never>>(port, [...sender.reads, ...sender.writes], () => sending?.wake());
const sending: Sending = await sender.start({
  settings,
  store: { ...behind.store, ...(await fileReads?.of(sender, clock, settings)) },
  awaitNews: behind.awaitNews,
  clock,
  // No other node can send from a SQLite file.
  isAlone: file !== null,
  report: (kind, report) => send({ kind: 'report', of: kind, report }),
  failed: (failure) => send({ kind: 'failure', failure }),
});
await stopped.promise;
await sending.stop();
await fileReads?.close();
port.close();
parent.close();
