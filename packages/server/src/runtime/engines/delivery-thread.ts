/**
 * The thread of the senders, of events and of mails. It keeps receivers, name servers and mail servers from delaying
 * the thread that answers apps and the writer thread: a handshake costs milliseconds, and only this thread waits for
 * slow answers.
 */
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { MailNews } from '../../customers/mail/mail-store.ts';
import { MAIL_BOUNDS, type MailBounds } from '../../customers/mail/sender.ts';
import type { SmtpSettings } from '../../customers/mail/smtp.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { DeliveryNews } from '../../webhooks/deliveries/delivery-news.ts';
import type { RequestSettings } from '../../webhooks/deliveries/request.ts';
import { SENDER_BOUNDS, type SenderBounds } from '../../webhooks/deliveries/sender-bounds.ts';
import type { SenderState } from '../../webhooks/deliveries/sender-state.ts';
import type { SecretsKey } from '../../webhooks/destinations/seal.ts';

/** The kinds of work of the thread. */
export type Sent = 'events' | 'mails';

/** Settings of the sender of events. */
export interface EventSending extends DeliverySettings {
  readonly secretsKey: SecretsKey;
}

/** Settings of the sender of mails. */
export interface MailSending {
  readonly smtp: SmtpSettings;
  /** The names of the kinds of mails that this version knows. */
  readonly kinds: readonly string[];
  /** Overrides of the usual bounds, for tests. */
  readonly bounds: Partial<MailBounds>;
}

/** Data that the thread receives at its start. */
export interface DeliveryThreadData {
  /** The SQLite file, which the thread reads itself; null for PostgreSQL. */
  readonly file: string | null;
  /** Null: it sends no events. */
  readonly events: EventSending | null;
  /** Null: it sends no mails. */
  readonly mails: MailSending | null;
  /** See runtime/engines/engine.ts. */
  readonly movedClock?: SharedArrayBuffer | undefined;
}

/** Message to the thread: begin to send, with a port to the thread that owns the database; or end. */
export type ToDeliveryThread = { readonly sent: Sent; readonly port: MessagePort } | 'stop';

/** Message from the thread. Addresses are origins, because a path may be a secret. */
export type FromDeliveryThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'state'; readonly state: SenderState }
  | { readonly kind: 'mail'; readonly news: MailNews }
  | DeliveryNews;

/** Settings of deliveries, from the configuration; tests set their own. */
export interface DeliverySettings {
  readonly requests: RequestSettings;
  readonly userAgent: string;
  readonly bounds: Partial<SenderBounds>;
}

/** Dependencies and settings of the thread. */
export interface DeliveryThreadParts extends DeliveryThreadData {
  /** Resolves to true if there is something to send: if there was ever a destination, or if a mail waits. */
  readonly isNeeded: Readonly<Record<Sent, () => Promise<boolean>>>;
  /** Receives the other end of the port of a sender, which serves its calls. */
  readonly connect: Readonly<Record<Sent, (port: MessagePort) => void>>;
  readonly on: {
    failure(failure: string): void;
    news(news: DeliveryNews): void;
    state(state: SenderState): void;
    mail(news: MailNews): void;
  };
}

/**
 * Size of the young generation of the thread. V8 fills it before it collects. Its default grows to 100 MB, which saves
 * work that this thread does not have.
 */
const YOUNG_GENERATION_MB = 12;
/** Time after which a thread that died is restarted. */
const RESTART_MS = 10_000;

/** The senders of this node. */
export interface NodeSender {
  /** Starts to send events if there is a destination. Call it when this node has created one. */
  startIfNeeded(): void;
  /** Stops the thread. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/**
 * Starts the thread once there is something to send: events now, when this node creates a destination, or some seconds
 * after another one did; mails when one waits.
 */
export function startDeliveries(parts: DeliveryThreadParts): NodeSender {
  let thread: SenderThread | null = null;
  let isResting = false;
  const needed = new Set<Sent>();
  const stopping = new AbortController();
  let asking: Promise<void> = Promise.resolve();
  const ask = (sent: Sent) => (asking = asking.then(() => begin(sent)));
  const begin = async (sent: Sent) => {
    try {
      if (parts[sent] === null || stopping.signal.aborted) return;
      if (!needed.has(sent) && !(await parts.isNeeded[sent]())) return;
      needed.add(sent);
      if (stopping.signal.aborted || isResting) return;
      thread ??= startThread(parts, async (error) => {
        thread = null;
        isResting = true;
        parts.on.failure(`the thread that sends events and mails ended: ${error}`);
        await wait(RESTART_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        isResting = false;
        for (const each of needed) ask(each);
      });
      thread.begin(sent);
    } catch (error) {
      parts.on.failure(String(error));
    }
  };
  const { neededIntervalMs } = { ...SENDER_BOUNDS, ...parts.events?.bounds };
  const { lookMs } = { ...MAIL_BOUNDS, ...parts.mails?.bounds };
  const stopAsking = [
    ...(parts.events === null ? [] : [repeat(neededIntervalMs, () => ask('events'), true)]),
    ...(parts.mails === null ? [] : [repeat(lookMs, () => ask('mails'), true)]),
  ];
  return {
    startIfNeeded: () => void ask('events'),
    async stop() {
      stopping.abort();
      await Promise.all(stopAsking.map((stop) => stop()));
      await asking;
      await thread?.stop();
    },
  };
}

/** The running thread. */
interface SenderThread {
  /** Begins to send; without effect when repeated. */
  begin(sent: Sent): void;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

function startThread(parts: DeliveryThreadParts, died: (error: string) => void): SenderThread {
  const { file, events, mails, movedClock, on } = parts;
  const data: DeliveryThreadData = { file, events, mails, movedClock };
  const worker = new Worker(new URL(`./delivery-thread-entry${extname(import.meta.filename)}`, import.meta.url), {
    workerData: data,
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
      case 'mail':
        return on.mail(message.news);
      default:
        return on.news(message);
    }
  });
  const begun = new Set<Sent>();
  const send = (message: ToDeliveryThread, ...ports: MessagePort[]) => worker.postMessage(message, ports);
  return {
    begin(sent) {
      if (begun.has(sent)) return;
      begun.add(sent);
      const { port1, port2 } = new MessageChannel();
      parts.connect[sent](port1);
      send({ sent, port: port2 }, port2);
    },
    async stop() {
      if (isOver) return;
      isOver = true;
      send('stop');
      await ended.promise;
    },
  };
}
