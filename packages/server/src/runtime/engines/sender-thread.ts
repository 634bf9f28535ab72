/**
 * The thread of the senders (platform/senders/sender.ts). It keeps receivers, name servers and mail servers from
 * delaying the thread that answers apps and the writer thread: a handshake costs milliseconds, and only this thread
 * waits for slow answers.
 */
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Reports } from '../../platform/endpoint/slice-metrics.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { Report, Sender, SenderName, SenderSettings } from '../../platform/senders/sender.ts';
import { senders } from '../../senders.ts';

/** Data that the thread receives at its start. */
export interface SenderThreadData {
  /** The SQLite file, which the thread reads itself; null for PostgreSQL. */
  readonly file: string | null;
  readonly settings: SenderSettings;
  /** See runtime/engines/engine.ts. */
  readonly movedClock?: SharedArrayBuffer | undefined;
}

/** Message to the thread: begin to send, with a port to the thread that owns the database; or end. */
export type ToSenderThread = { readonly name: SenderName; readonly port: MessagePort } | 'stop';

/** Message from the thread. */
export type FromSenderThread =
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'report'; readonly of: keyof Reports; readonly report: Reports[keyof Reports] };

/** Dependencies and settings of the thread. */
export interface SenderThreadParts extends SenderThreadData {
  /** Resolves to true if the sender has something to send at this moment. */
  isNeeded(sender: Sender): Promise<boolean>;
  /** Receives the other end of the port of a sender, which serves its calls. */
  connect(name: SenderName, port: MessagePort): void;
  readonly on: {
    failure(failure: string): void;
    readonly report: Report;
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
export interface NodeSenders {
  /** Looks at once whether a sender is needed, because this node changed something. */
  startIfNeeded(name: SenderName): void;
  /** Stops the thread. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/**
 * Starts the thread once a sender has something to send: at the start, when this node changed something, or after some
 * seconds if another one did.
 */
export function startSenders(parts: SenderThreadParts): NodeSenders {
  let thread: SenderThread | null = null;
  let isResting = false;
  const needed = new Set<SenderName>();
  const stopping = new AbortController();
  let asking: Promise<void> = Promise.resolve();
  const ask = (name: SenderName) => (asking = asking.then(() => begin(name)));
  const begin = async (name: SenderName) => {
    try {
      const sender = senders.find((each) => each.name === name);
      if (sender === undefined || parts.settings[name] === null || stopping.signal.aborted) return;
      if (!needed.has(name) && !(await parts.isNeeded(sender))) return;
      needed.add(name);
      if (stopping.signal.aborted || isResting) return;
      thread ??= startThread(parts, async (error) => {
        thread = null;
        isResting = true;
        parts.on.failure(`the thread that sends events and mails ended: ${error}`);
        await wait(RESTART_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        isResting = false;
        for (const each of needed) ask(each);
      });
      thread.begin(name);
    } catch (error) {
      parts.on.failure(String(error));
    }
  };
  const stopAsking = senders.flatMap((sender) => {
    const settings = parts.settings[sender.name];
    return settings === null ? [] : [repeat(sender.lookMs(settings), () => ask(sender.name), true)];
  });
  return {
    startIfNeeded: (name) => void ask(name),
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
  begin(name: SenderName): void;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

function startThread(parts: SenderThreadParts, died: (error: string) => void): SenderThread {
  const { file, settings, movedClock, on } = parts;
  const data: SenderThreadData = { file, settings, movedClock };
  const worker = new Worker(new URL(`./sender-thread-entry${extname(import.meta.filename)}`, import.meta.url), {
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
  worker.on('message', (message: FromSenderThread) => {
    if (message.kind === 'failure') on.failure(message.failure);
    if (message.kind === 'report') on.report(message.of, message.report);
  });
  const begun = new Set<SenderName>();
  const send = (message: ToSenderThread, ...ports: MessagePort[]) => worker.postMessage(message, ports);
  return {
    begin(name) {
      if (begun.has(name)) return;
      begun.add(name);
      const { port1, port2 } = new MessageChannel();
      parts.connect(name, port1);
      send({ name, port: port2 }, port2);
    },
    async stop() {
      if (isOver) return;
      isOver = true;
      send('stop');
      await ended.promise;
    },
  };
}
