/**
 * The thread of the sender. It keeps receivers and name servers from delaying the thread that answers apps and the
 * writer thread: a handshake costs milliseconds, and only this thread waits for slow answers.
 */
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Outcome, RequestSettings } from '../deliveries/request.ts';
import { SENDER_BOUNDS, type SenderBounds } from '../deliveries/sender-bounds.ts';
import type { SenderState } from '../deliveries/sender-state.ts';
import type { SecretsKey } from '../destinations/seal.ts';
import { repeat } from '../jobs/repeat.ts';

/** Data that the thread receives at its start. */
export interface DeliveryThreadData {
  /** Port to the thread that owns the database. */
  readonly port: MessagePort;
  /** The SQLite file, which the thread reads itself; null for PostgreSQL. */
  readonly file: string | null;
  readonly secretsKey: SecretsKey;
  readonly requests: RequestSettings;
  readonly userAgent: string;
  /** See engines/engine.ts. */
  readonly movedClock?: SharedArrayBuffer | undefined;
  /** Overrides of the usual bounds, for tests and settings. */
  readonly bounds: Partial<SenderBounds>;
}

/** Message to the thread: end. */
export type ToDeliveryThread = 'stop';

/** Message from the thread. Addresses are origins, because a path may be a secret. */
export type FromDeliveryThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'state'; readonly state: SenderState }
  | DeliveryNews;

/** An event in the sender, for the log and the metrics. */
export type DeliveryNews =
  | {
      readonly kind: 'attempted';
      readonly outcome: Outcome;
      readonly durationMs: number;
      /** Time from the change to the first attempt; null for further attempts and tests. */
      readonly delayMs: number | null;
    }
  | { readonly kind: 'failing'; readonly destinationId: string; readonly origin: string; readonly error: string }
  | { readonly kind: 'back'; readonly destinationId: string; readonly origin: string }
  | { readonly kind: 'disabled'; readonly destinationId: string; readonly origin: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly destinationId: string; readonly eventId: string }
  | { readonly kind: 'clock differs'; readonly origin: string; readonly differenceMs: number }
  | { readonly kind: 'held back'; readonly milliseconds: number };

/** Settings of deliveries, from the configuration; tests set their own. */
export interface DeliverySettings {
  readonly requests: RequestSettings;
  readonly userAgent: string;
  readonly bounds: Partial<SenderBounds>;
}

/** Dependencies and settings of the thread. */
export interface DeliveryThreadParts extends DeliverySettings {
  readonly file: string | null;
  readonly secretsKey: SecretsKey;
  readonly movedClock?: SharedArrayBuffer | undefined;
  /** Resolves to true if there was ever a destination. */
  isNeeded(): Promise<boolean>;
  /** Receives the other end of the port, which serves the sender's calls. */
  connect(port: MessagePort): void;
  readonly on: {
    failure(failure: string): void;
    news(news: DeliveryNews): void;
    state(state: SenderState): void;
  };
}

/**
 * Room for new objects in the thread, of which V8 takes all before it collects them. Its default grows to 100 MB, which
 * saves work that this thread does not have.
 */
const YOUNG_GENERATION_MB = 12;
/** Time after which a thread that died is restarted. */
const RESTART_MS = 10_000;

/** The sender of this node. */
export interface NodeSender {
  /** Starts the thread if there is a destination. Call it when this node has created one. */
  startIfNeeded(): void;
  /** Stops the thread. Resolves when no request is under way. */
  stop(): Promise<void>;
}

/**
 * Starts the thread once it is needed: now, when this node creates a destination, or some seconds after another one
 * did.
 */
export function startDeliveries(parts: DeliveryThreadParts): NodeSender {
  let stopThread: (() => Promise<void>) | null = null;
  const stopping = new AbortController();
  const { neededIntervalMs } = { ...SENDER_BOUNDS, ...parts.bounds };
  let asking: Promise<void> = Promise.resolve();
  const startIfNeeded = () => (asking = asking.then(start));
  const start = async () => {
    try {
      if (stopThread !== null || stopping.signal.aborted) return;
      if (!(await parts.isNeeded()) || stopping.signal.aborted) return;
      stopThread = startThread(parts, async (error) => {
        parts.on.failure(`the thread that sends events ended: ${error}`);
        await wait(RESTART_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        stopThread = null;
        startIfNeeded();
      });
    } catch (error) {
      parts.on.failure(String(error));
    }
  };
  const stopAsking = repeat(neededIntervalMs, startIfNeeded, true);
  return {
    startIfNeeded,
    async stop() {
      stopping.abort();
      await stopAsking();
      await asking;
      await stopThread?.();
    },
  };
}

function startThread(parts: DeliveryThreadParts, died: (error: string) => void): () => Promise<void> {
  const { file, secretsKey, requests, userAgent, movedClock, bounds, on } = parts;
  const { port1, port2 } = new MessageChannel();
  parts.connect(port1);
  const data: DeliveryThreadData = { port: port2, file, secretsKey, requests, userAgent, movedClock, bounds };
  const worker = new Worker(new URL(`./delivery-thread-entry${extname(import.meta.filename)}`, import.meta.url), {
    workerData: data,
    transferList: [port2],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  let isOver = false;
  const ended = Promise.withResolvers<void>();
  const end = (error: string) => {
    ended.resolve();
    if (!isOver) died(error);
    isOver = true;
  };
  worker.on('error', (error) => end(String(error)));
  worker.on('exit', (code) => end(`code ${code}`));
  worker.on('message', (message: FromDeliveryThread) => {
    switch (message.kind) {
      case 'ready':
        return;
      case 'failure':
        return on.failure(message.failure);
      case 'state':
        return on.state(message.state);
      default:
        return on.news(message);
    }
  });
  return async () => {
    if (isOver) return;
    isOver = true;
    worker.postMessage('stop' satisfies ToDeliveryThread);
    await ended.promise;
  };
}
