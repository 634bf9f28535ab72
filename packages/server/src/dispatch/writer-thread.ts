/**
 * SQLite has one writer, and its commits wait for the disk: both happen in a thread of their own, so that the thread
 * that speaks TLS and HTTP never waits. Calls travel in batches, one message per turn of the event loop each way.
 */
import { Worker } from 'node:worker_threads';
import type { Settings } from '../service.ts';
import type { Dispatcher, Outcome } from './call.ts';
import { type CallMessage, type FromWriter, packCall, type ToWriter, unpackOutcome } from './messages.ts';

/** What the thread is told at its start. */
export interface WriterThreadData {
  readonly file: string;
  readonly settings: Settings;
}

/**
 * Starts the thread.
 *
 * @param onCommitted hears of changed subjects before any call that changed them is answered
 * @param onTrouble hears of failures that no call is answered with
 * @param onDeath hears of the thread's end when nobody asked for it; calls under way stay unanswered
 */
export async function startWriterThread(
  data: WriterThreadData,
  onCommitted: (subjects: readonly string[]) => void,
  onTrouble: (failure: string) => void,
  onDeath: (error: Error) => void,
): Promise<Dispatcher> {
  const worker = new Worker(new URL('./writer-thread-entry.ts', import.meta.url), { workerData: data });
  const answers = new Map<number, (outcome: Outcome) => void>();
  let batch: CallMessage[] = [];
  let lastNumber = 0;
  let whenClosed: (() => void) | undefined;

  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', () => {
      worker.off('error', reject);
      resolve();
    });
  });
  worker.on('error', (error: unknown) => onDeath(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => (whenClosed ? whenClosed() : onDeath(new Error(`the writer thread ended with ${code}`))));
  worker.on('message', (message: FromWriter) => {
    if (message.kind === 'trouble') onTrouble(message.failure);
    if (message.kind !== 'outcomes') return;
    if (message.subjects.length > 0) onCommitted(message.subjects);
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
    async close() {
      const closed = new Promise<void>((resolve) => (whenClosed = resolve));
      setImmediate(() => send({ kind: 'close' }));
      await closed;
    },
  };
}
