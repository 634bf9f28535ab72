/**
 * The threads of the senders (platform/senders/sender.ts), one for each. They keep receivers, name servers and mail
 * servers from delaying the thread that answers apps, the writer thread and each other: a handshake costs milliseconds,
 * a hostile receiver much more, and a customer waits for the e-mail with a code.
 */
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Reports } from '../../platform/endpoint/slice-metrics.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { Report, Sender, SenderName, SenderSettings, SettingsOf } from '../../platform/senders/sender.ts';
import { senders } from '../../senders.ts';

/** Data that a thread receives at its start. */
export interface SenderThreadData {
  readonly name: SenderName;
  /** The SQLite file, which the thread reads itself; null for PostgreSQL. */
  readonly file: string | null;
  readonly settings: SettingsOf<SenderName>;
  /** See runtime/engines/engine.ts. */
  readonly movedClock: SharedArrayBuffer | undefined;
  /** Leads to the thread that owns the database. */
  readonly port: MessagePort;
}

/** Message to the thread: end. */
export type ToSenderThread = 'stop';

/** Message from the thread. */
export type FromSenderThread =
  | { readonly kind: 'failure'; readonly failure: string }
  | { readonly kind: 'report'; readonly of: keyof Reports; readonly report: Reports[keyof Reports] };

/** Dependencies and settings of the threads. */
export interface SenderThreadParts extends Pick<SenderThreadData, 'file' | 'movedClock'> {
  readonly settings: SenderSettings;
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
  /** Stops the threads. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/**
 * Starts the thread of a sender once it has something to send: at the start, when this node changed something, or after
 * some seconds if another one did.
 */
export function startSenders(parts: SenderThreadParts): NodeSenders {
  const threads = new Map<SenderName, SenderThread>();
  const resting = new Set<SenderName>();
  const needed = new Set<SenderName>();
  const stopping = new AbortController();
  let asking: Promise<void> = Promise.resolve();
  const ask = (name: SenderName) => (asking = asking.then(() => begin(name)));
  const begin = async (name: SenderName) => {
    try {
      const sender = senders.find((each) => each.name === name);
      const settings = parts.settings[name];
      if (sender === undefined || settings === null || stopping.signal.aborted) return;
      if (!needed.has(name) && !(await parts.isNeeded(sender))) return;
      needed.add(name);
      if (stopping.signal.aborted || resting.has(name) || threads.has(name)) return;
      const died = async (error: string) => {
        threads.delete(name);
        resting.add(name);
        parts.on.failure(`the thread that sends ${name} ended: ${error}`);
        await wait(RESTART_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
        resting.delete(name);
        ask(name);
      };
      threads.set(name, startThread(parts, name, settings, died));
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
      await Promise.all([...threads.values()].map((thread) => thread.stop()));
    },
  };
}

/** A running thread. */
interface SenderThread {
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

function startThread(
  { file, movedClock, connect, on }: SenderThreadParts,
  name: SenderName,
  settings: SettingsOf<SenderName>,
  died: (error: string) => void,
): SenderThread {
  const { port1, port2: port } = new MessageChannel();
  connect(name, port1);
  const workerData: SenderThreadData = { name, file, settings, movedClock, port };
  const worker = new Worker(new URL(`./sender-thread-entry${extname(import.meta.filename)}`, import.meta.url), {
    workerData,
    transferList: [port],
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
  return {
    async stop() {
      if (isOver) return;
      isOver = true;
      worker.postMessage('stop' satisfies ToSenderThread);
      await ended.promise;
    },
  };
}
