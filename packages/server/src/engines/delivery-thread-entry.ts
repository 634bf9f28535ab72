/** Entry of the worker thread that sends events: name look-ups, TLS, requests, signatures. See delivery-thread.ts. */
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { clockIn, elapsedMs, systemClock } from '../base/clock.ts';
import { mintFraction } from '../base/random.ts';
import { Addresses } from '../deliveries/addresses.ts';
import { readDeliveries } from '../deliveries/delivery-store.ts';
import { Requests } from '../deliveries/request.ts';
import { Sender } from '../deliveries/sender.ts';
import { SENDER_BOUNDS } from '../deliveries/sender-bounds.ts';
import type { DeliveryReader, DeliveryStore, DeliveryWriter } from '../deliveries/store.ts';
import { storeBehind } from '../deliveries/store-port.ts';
import { openStorage } from '../storage/open.ts';
import type { DeliveryThreadData, FromDeliveryThread, ToDeliveryThread } from './delivery-thread.ts';

/** Maximum time between two rounds. */
const LOOK_INTERVAL_MS = 250;
/** Minimum time between two rounds, so that a burst of events is handled in one. */
const LEAST_INTERVAL_MS = 10;
/** Time before the next round after a failure of the database. */
const FAILURE_INTERVAL_MS = 1_000;
/** Interval at which the state is sent to the main thread. */
const STATE_INTERVAL_MS = 1_000;

const parent = parentPort;
if (parent === null) throw new Error('delivery-thread-entry.ts runs as a worker thread only');
const { port, file, secretsKey, requests: settings, userAgent, movedClock, bounds } = workerData as DeliveryThreadData;
const clock = movedClock === undefined ? systemClock : clockIn(movedClock);
const send = (message: FromDeliveryThread) => parent.postMessage(message);

let wake = Promise.withResolvers<void>();
const woken = () => wake.resolve();
const reads = ['load', 'readFeed', 'messages', 'listTests'] as const satisfies (keyof DeliveryReader)[];
const writes = ['save', 'giveBack'] as const satisfies (keyof DeliveryWriter)[];
const behind = storeBehind<DeliveryStore>(port, [...reads, ...writes], woken);
// The SQLite file is read in this thread, so that the writer thread only writes.
const storage = file === null ? null : await openStorage({ engine: 'sqlite', file });
const store = storage === null ? behind : { ...behind, ...readDeliveries(storage, secretsKey, clock) };

// No other node can send from a SQLite file.
const ofEngine = file === null ? {} : { unreachedMs: Number.POSITIVE_INFINITY };
const requests = new Requests(settings);
const sender = new Sender({
  store,
  send: (request) => requests.attempt(request),
  addresses: new Addresses({ lookUp: (name) => requests.lookUp(name), elapsed: elapsedMs, lookedUp: () => woken() }),
  clock,
  elapsed: elapsedMs,
  random: mintFraction,
  userAgent,
  bounds: { ...SENDER_BOUNDS, ...ofEngine, ...bounds },
  on: {
    attempted: ({ outcome, durationMs }, delayMs) => send({ kind: 'attempted', outcome, durationMs, delayMs }),
    failing: (destinationId, origin, error) => send({ kind: 'failing', destinationId, origin, error }),
    back: (destinationId, origin) => send({ kind: 'back', destinationId, origin }),
    disabled: (destinationId, origin, reason) => send({ kind: 'disabled', destinationId, origin, reason }),
    failed: (destinationId, eventId) => send({ kind: 'failed', destinationId, eventId }),
    clockDiffers: (origin, differenceMs) => send({ kind: 'clock differs', origin, differenceMs }),
    heldBack: (milliseconds) => send({ kind: 'held back', milliseconds }),
  },
});

let isStopping = false;
async function run(): Promise<void> {
  let failure = '';
  while (!isStopping) {
    let isBusy = false;
    // Before the look: a commit during the look may be too late for it, and then ends the pause.
    wake = Promise.withResolvers();
    try {
      isBusy = await sender.look();
      failure = '';
    } catch (error) {
      // Reported once for a failure that repeats in every round.
      if (String(error) !== failure) send({ kind: 'failure', failure: String(error) });
      failure = String(error);
    }
    if (isStopping) break;
    const interval = failure === '' ? LOOK_INTERVAL_MS : FAILURE_INTERVAL_MS;
    const ended = failure === '' && sender.underWay > 0 ? [sender.requestEnds()] : [];
    const pause = new AbortController();
    if (!isBusy)
      await Promise.race([wait(interval, undefined, { signal: pause.signal }).catch(() => {}), wake.promise, ...ended]);
    pause.abort();
    await wait(LEAST_INTERVAL_MS);
  }
}
const ran = run();
const states = setInterval(() => send({ kind: 'state', state: sender.state }), STATE_INTERVAL_MS);

parent.on('message', (_message: ToDeliveryThread) => void stop());
async function stop(): Promise<void> {
  isStopping = true;
  woken();
  await ran;
  await sender.stop().catch((error: unknown) => send({ kind: 'failure', failure: String(error) }));
  clearInterval(states);
  requests.close();
  await storage?.close();
  port.close();
  parent?.close();
}
send({ kind: 'ready' });
