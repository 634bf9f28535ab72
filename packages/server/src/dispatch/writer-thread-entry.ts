/** The writer thread: see writer-thread.ts. It holds the only writing connection and runs the actions themselves. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { endpointsByPath, identify } from '../app.ts';
import { systemClock } from '../clock.ts';
import { startTidying } from '../jobs/tidying.ts';
import { TokenKeys } from '../licenses/token-keys.ts';
import { openStorage } from '../storage/open.ts';
import { probeWrites } from '../storage/probe-store.ts';
import { createLocalDispatcher } from './local-dispatcher.ts';
import { type FromWriter, type OutcomeMessage, packOutcome, type ToWriter, unpackCall } from './messages.ts';
import type { WriterThreadData } from './writer-thread.ts';

const port = parentPort;
if (port === null) throw new Error('writer-thread-entry.ts runs as a worker thread only');

const { file, settings, mostCalls, lockPatienceMs } = workerData as WriterThreadData;
const storage = await openStorage({ engine: 'sqlite', file }, { lockPatienceMs });
storage.onAvailability((availability) => send({ kind: 'availability', availability }));
const tokenKeys = new TokenKeys();
await tokenKeys.open(storage, systemClock);
const dispatcher = createLocalDispatcher(
  storage,
  { endpoints: endpointsByPath, identify, service: { settings, tokenKeys, licenseMemory: null } },
  1,
  mostCalls,
);

const stopTidying = startTidying(storage, systemClock, (error) => send({ kind: 'trouble', failure: String(error) }));

let subjects: string[] = [];
let outcomes: OutcomeMessage[] = [];
let isScheduled = false;

function send(message: FromWriter): void {
  port?.postMessage(message);
}

/** One message for all that was answered in this turn. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    send({ kind: 'outcomes', subjects, outcomes });
    subjects = [];
    outcomes = [];
  });
}

storage.onCommitted((changed) => {
  subjects.push(...changed);
  schedule();
});

async function take(message: ToWriter): Promise<void> {
  if (message.kind === 'probe') {
    probeWrites(storage, message.now).then(
      () => send({ kind: 'probed', failure: null }),
      (error: unknown) => send({ kind: 'probed', failure: String(error) }),
    );
    return;
  }
  if (message.kind === 'close') {
    await stopTidying();
    await dispatcher.close();
    setImmediate(() => port?.close());
    return;
  }
  for (const call of message.calls)
    dispatcher.dispatch(unpackCall(call), (outcome) => {
      outcomes.push(packOutcome(call[0], outcome));
      schedule();
    });
}

port.on('message', (first: ToWriter) => {
  void take(first);
  // Whatever queued up while a commit waited for the disk joins the same batch.
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    void take(next.message as ToWriter);
});
send({ kind: 'ready' });
