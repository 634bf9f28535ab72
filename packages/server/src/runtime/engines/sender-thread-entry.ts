/** Entry of the worker thread of the senders. See sender-thread.ts. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { clockIn, systemClock } from '../../ground/base/clock.ts';
import type { Sending } from '../../platform/senders/sender.ts';
import { storeBehind } from '../../platform/senders/store-port.ts';
import { senders } from '../../senders.ts';
import { runInBackground } from './background-priority.ts';
import type { FromSenderThread, SenderThreadData, ToSenderThread } from './sender-thread.ts';

const parent = parentPort;
if (parent === null) throw new Error('sender-thread-entry.ts runs as a worker thread only');
runInBackground();
const { file, settings, movedClock } = workerData as SenderThreadData;
const clock = movedClock === undefined ? systemClock : clockIn(movedClock);
const send = (message: FromSenderThread) => parent.postMessage(message);
// The SQLite file is read in this thread, so that the writer thread only writes. With PostgreSQL the thread reads
// nothing itself, so it does not load 125 modules, `pg` and `typebox`.
const fileReads = file === null ? null : await (await import('./file-reads.ts')).openFileReads(file);

async function begin({ name, port }: Exclude<ToSenderThread, 'stop'>): Promise<Sending | null> {
  const [sender, own] = [senders.find((each) => each.name === name), settings[name]];
  if (sender === undefined || own === null) return null;
  const behind = storeBehind<Record<string, never>>(port, [...sender.reads, ...sender.writes], () => sending?.wake());
  const store = { ...behind.store, ...(await fileReads?.of(sender, clock, own)) };
  const sending: Sending = await sender.start({
    settings: own,
    store,
    awaitNews: behind.awaitNews,
    clock,
    // No other node can send from a SQLite file.
    isAlone: file !== null,
    report: (kind, report) => send({ kind: 'report', of: kind, report }),
    failed: (failure) => send({ kind: 'failure', failure }),
  });
  return sending;
}

const begun: { readonly port: MessagePort; readonly sending: Promise<Sending | null> }[] = [];
parent.on('message', (message: ToSenderThread) => {
  if (message === 'stop') void stop();
  else begun.push({ port: message.port, sending: begin(message) });
});
async function stop(): Promise<void> {
  await Promise.all(begun.map(async ({ sending }) => (await sending)?.stop()));
  await fileReads?.close();
  for (const { port } of begun) port.close();
  parent?.close();
}
