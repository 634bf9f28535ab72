/** Entry of the worker thread of the senders, of events and of mails. See delivery-thread.ts. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { MailStore } from '../../customers/mail/mail-store.ts';
import { clockIn, systemClock } from '../../ground/base/clock.ts';
import type { DeliveryReader, DeliveryStore, DeliveryWriter } from '../../webhooks/deliveries/store.ts';
import { storeBehind } from '../../webhooks/deliveries/store-port.ts';
import { runInBackground } from './background-priority.ts';
import type { DeliveryThreadData, FromDeliveryThread, Sent, ToDeliveryThread } from './delivery-thread.ts';
import { type Sending, startSendingEvents } from './sending-events.ts';
import { startSendingMails } from './sending-mails.ts';

const parent = parentPort;
if (parent === null) throw new Error('delivery-thread-entry.ts runs as a worker thread only');
runInBackground();
const { file, events, mails, movedClock } = workerData as DeliveryThreadData;
const clock = movedClock === undefined ? systemClock : clockIn(movedClock);
const send = (message: FromDeliveryThread) => parent.postMessage(message);
// The SQLite file is read in this thread, so that the writer thread only writes. With PostgreSQL the thread reads
// nothing itself, so it does not load 125 modules, `pg` and `typebox`.
const fileReads = file === null ? null : await (await import('./file-reads.ts')).openFileReads(file);

const beginning: Readonly<Record<Sent, (port: MessagePort) => Promise<Sending | null>>> = {
  async events(port) {
    if (events === null) return null;
    const reads = ['news', 'load', 'storedFor', 'readFeed', 'messages', 'listTests'] as const;
    reads satisfies readonly (keyof DeliveryReader)[];
    const writes = ['save', 'giveBack'] as const satisfies (keyof DeliveryWriter)[];
    const behind = storeBehind<DeliveryStore>(port, [...reads, ...writes], () => sending.wake());
    const store = { ...behind.store, ...fileReads?.ofEvents(clock) };
    // No other node can send from a SQLite file.
    const sending = startSendingEvents(events, { ...behind, store }, clock, file !== null, send);
    return sending;
  },
  async mails(port) {
    if (mails === null) return null;
    const methods = ['findDueMail', 'beginMails', 'endMails', 'giveBackMails'] as const satisfies (keyof MailStore)[];
    const behind = storeBehind<MailStore>(port, methods, () => {});
    const store = { ...behind.store, ...fileReads?.ofMails(mails.kinds) };
    return startSendingMails(mails, store, clock, send);
  },
};

const begun: { readonly port: MessagePort; readonly sending: Promise<Sending | null> }[] = [];
parent.on('message', (message: ToDeliveryThread) => {
  if (message === 'stop') void stop();
  else begun.push({ port: message.port, sending: beginning[message.sent](message.port) });
});
async function stop(): Promise<void> {
  await Promise.all(begun.map(async ({ sending }) => (await sending)?.stop()));
  await fileReads?.close();
  for (const { port } of begun) port.close();
  parent?.close();
}
send({ kind: 'ready' });
