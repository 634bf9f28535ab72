/** Sends events in the thread of the sender: name look-ups, TLS, requests, signatures. */
import { elapsedMs } from '../../ground/base/clock.ts';
import { mintFraction } from '../../ground/base/random.ts';
import { startRounds } from '../../platform/senders/rounds.ts';
import type { Sending, SendingParts } from '../../platform/senders/sender.ts';
import { secretsOf } from '../destinations/sendable.ts';
import { Addresses } from './addresses.ts';
import type { DeliveryNews, MeasuredAttempt } from './delivery-news.ts';
import { Requests } from './request.ts';
import { Sender } from './sender.ts';
import { SENDER_BOUNDS } from './sender-bounds.ts';
import type { DeliveryStore } from './store.ts';

/** Maximum time between two rounds. */
const LOOK_INTERVAL_MS = 250;
/** Interval at which the state and the attempts since are sent to the main thread. */
const STATE_INTERVAL_MS = 1_000;

/** Starts the sender of events. */
export function startSendingEvents({
  settings: { requests: settings, userAgent, secretsKey, bounds },
  store,
  awaitNews,
  clock,
  isAlone,
  report,
  failed,
}: SendingParts<'events'>): Sending {
  const tell = (news: DeliveryNews) => report('delivery', news);
  const requests = new Requests(settings);
  let attempts: MeasuredAttempt[] = [];
  const sender = new Sender({
    store: store as DeliveryStore,
    send: (request) => requests.attempt(request),
    addresses: new Addresses({
      lookUp: (name) => requests.lookUp(name),
      elapsed: elapsedMs,
      lookedUp: () => rounds.wake(),
    }),
    clock,
    elapsed: elapsedMs,
    random: mintFraction,
    userAgent,
    secretsOf: (destination, now) => secretsOf(destination, secretsKey, now),
    bounds: { ...SENDER_BOUNDS, ...(isAlone ? { unreachedMs: Number.POSITIVE_INFINITY } : {}), ...bounds },
    on: {
      attempted: ({ outcome, durationMs }, delayMs) => attempts.push({ outcome, durationMs, delayMs }),
      failing: (destinationId, origin, error) => tell({ kind: 'failing', destinationId, origin, error }),
      back: (destinationId, origin) => tell({ kind: 'back', destinationId, origin }),
      disabled: (destinationId, origin, reason) => tell({ kind: 'disabled', destinationId, origin, reason }),
      failed: (destinationId, eventId) => tell({ kind: 'failed', destinationId, eventId }),
      clockDiffers: (origin, differenceMs) => tell({ kind: 'clock differs', origin, differenceMs }),
      heldBack: (milliseconds) => tell({ kind: 'held back', milliseconds }),
    },
  });
  const rounds = startRounds({
    awaitNews,
    look: () => sender.look(),
    changes: () => sender.changes,
    ends: () => sender.requestEnds(),
    intervalMs: LOOK_INTERVAL_MS,
    failed,
  });
  const reporting = setInterval(() => {
    report('sender', sender.state);
    if (attempts.length > 0) tell({ kind: 'attempted', attempts });
    attempts = [];
  }, STATE_INTERVAL_MS);
  return {
    wake: rounds.wake,
    async stop() {
      await rounds.stop();
      await sender.stop().catch((error: unknown) => failed(String(error)));
      clearInterval(reporting);
      requests.close();
    },
  };
}
