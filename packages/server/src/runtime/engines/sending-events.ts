/** Sends events in the thread of the senders: name look-ups, TLS, requests, signatures. */
import { type Clock, elapsedMs } from '../../ground/base/clock.ts';
import { mintFraction } from '../../ground/base/random.ts';
import { Addresses } from '../../webhooks/deliveries/addresses.ts';
import type { MeasuredAttempt } from '../../webhooks/deliveries/delivery-news.ts';
import { Requests } from '../../webhooks/deliveries/request.ts';
import { Sender } from '../../webhooks/deliveries/sender.ts';
import { SENDER_BOUNDS } from '../../webhooks/deliveries/sender-bounds.ts';
import type { DeliveryStore } from '../../webhooks/deliveries/store.ts';
import type { StoreBehind } from '../../webhooks/deliveries/store-port.ts';
import { secretsOf } from '../../webhooks/destinations/sendable.ts';
import type { EventSending, FromDeliveryThread } from './delivery-thread.ts';
import { startRounds } from './rounds.ts';

/** Maximum time between two rounds. */
const LOOK_INTERVAL_MS = 250;
/** Interval at which the state and the attempts since are sent to the main thread. */
const STATE_INTERVAL_MS = 1_000;

/** A running sender. */
export interface Sending {
  wake(): void;
  /** Stops it; resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** Starts the sender of events. `isAlone` is true if no other node can send. */
export function startSendingEvents(
  { requests: settings, userAgent, secretsKey, bounds }: EventSending,
  { store, awaitNews }: StoreBehind<DeliveryStore>,
  clock: Clock,
  isAlone: boolean,
  send: (message: FromDeliveryThread) => void,
): Sending {
  const requests = new Requests(settings);
  let attempts: MeasuredAttempt[] = [];
  const sender = new Sender({
    store,
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
      failing: (destinationId, origin, error) => send({ kind: 'failing', destinationId, origin, error }),
      back: (destinationId, origin) => send({ kind: 'back', destinationId, origin }),
      disabled: (destinationId, origin, reason) => send({ kind: 'disabled', destinationId, origin, reason }),
      failed: (destinationId, eventId) => send({ kind: 'failed', destinationId, eventId }),
      clockDiffers: (origin, differenceMs) => send({ kind: 'clock differs', origin, differenceMs }),
      heldBack: (milliseconds) => send({ kind: 'held back', milliseconds }),
    },
  });
  const failed = (failure: string) => send({ kind: 'failure', failure });
  const rounds = startRounds({
    awaitNews,
    look: () => sender.look(),
    changes: () => sender.changes,
    ends: () => sender.requestEnds(),
    intervalMs: LOOK_INTERVAL_MS,
    failed,
  });
  const report = () => {
    send({ kind: 'state', state: sender.state });
    if (attempts.length > 0) send({ kind: 'attempted', attempts });
    attempts = [];
  };
  const reporting = setInterval(report, STATE_INTERVAL_MS);
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
