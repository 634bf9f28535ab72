/**
 * SQLite has one writer, and its commits wait for the disk: both happen in a thread of their own, so that the thread
 * that speaks TLS and HTTP never waits. Calls travel in batches, one message per turn of the event loop each way.
 */
import { Worker } from 'node:worker_threads';
import type { Settings } from '../service.ts';
import type { Availability } from '../storage/storage.ts';
import type { Dispatcher, Outcome } from './call.ts';
import { type CallMessage, type FromWriter, packCall, type ToWriter, unpackOutcome } from './messages.ts';

/** What the thread is told at its start. */
export interface WriterThreadData {
  readonly file: string;
  readonly settings: Settings;
  /** How many calls may be in the thread at once. */
  readonly mostCalls?: number | undefined;
  /** How long a write waits for another process to let go of the file, in milliseconds. */
  readonly lockPatienceMs?: number | undefined;
}

/** What is heard from the thread beside answers. */
export interface WriterThreadEvents {
  /** Hears of changed subjects before any call that changed them is answered. */
  committed(subjects: readonly string[]): void;
  /** Hears of failures that no call is answered with. */
  trouble(failure: string): void;
  /** Hears whenever what the database can do has changed. */
  availability(availability: Availability): void;
  /** Hears of the thread's end when nobody asked for it; calls under way stay unanswered. */
  death(error: Error): void;
}

/** A writer thread that runs. */
export interface WriterThread extends Dispatcher {
  /** Tries a write. One at a time. @throws when it fails */
  probeWrites(now: number): Promise<void>;
}

/** Starts the thread. @throws when the database cannot be opened */
export async function startWriterThread(data: WriterThreadData, on: WriterThreadEvents): Promise<WriterThread> {
  const worker = new Worker(new URL('./writer-thread-entry.ts', import.meta.url), { workerData: data });
  const answers = new Map<number, (outcome: Outcome) => void>();
  let batch: CallMessage[] = [];
  let lastNumber = 0;
  let whenClosed: (() => void) | undefined;
  let whenProbed: ((failure: string | null) => void) | undefined;

  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', () => {
      worker.off('error', reject);
      resolve();
    });
  });
  worker.on('error', (error: unknown) => on.death(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) =>
    whenClosed ? whenClosed() : on.death(new Error(`the writer thread ended with ${code}`)),
  );
  worker.on('message', (message: FromWriter) => {
    if (message.kind === 'trouble') on.trouble(message.failure);
    if (message.kind === 'availability') on.availability(message.availability);
    if (message.kind === 'probed') whenProbed?.(message.failure);
    if (message.kind !== 'outcomes') return;
    if (message.subjects.length > 0) on.committed(message.subjects);
    for (const outcome of message.outcomes) {
      const [number] = outcome;
      const answer = answers.get(number);
      answers.delete(number);
      answer?.(unpackOutcome(outcome));
    }
  });

  const send = (message: ToWriter) => worker.postMessage(message);

  return {
    dispatch(call, answer) {
      const number = ++lastNumber;
      answers.set(number, answer);
      if (batch.length === 0)
        setImmediate(() => {
          send({ kind: 'calls', calls: batch });
          batch = [];
        });
      batch.push(packCall(number, call));
    },
    async probeWrites(now) {
      const failure = await new Promise<string | null>((resolve) => {
        whenProbed = resolve;
        send({ kind: 'probe', now });
      });
      if (failure !== null) throw new Error(failure);
    },
    async close() {
      const closed = new Promise<void>((resolve) => (whenClosed = resolve));
      setImmediate(() => send({ kind: 'close' }));
      await closed;
    },
  };
}
