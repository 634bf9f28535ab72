/**
 * With SQLite every statement runs on the thread that issues it. So two threads besides the one for TLS and HTTP have
 * their own connections: the writer, whose commits wait for the disk, and the reader, whose lists may be long. They run
 * whole calls, which travel in batches, with one message per tick of the event loop in each direction.
 */

import { extname } from 'node:path';
import { type MessagePort, Worker } from 'node:worker_threads';
import { dispatchedByPath } from '../../app.ts';
import { gatherEachTick } from '../../ground/base/tick.ts';
import type { Sample } from '../../ground/measures/measures.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import { outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { MemoryBounds } from '../../platform/endpoint/rule-part.ts';
import type { SenderName, SettingsOf } from '../../platform/senders/sender.ts';
import type { LostFile } from '../../storage/contract/availability.ts';
import { type CommitListener, Published } from '../../storage/contract/published.ts';
import type { Availability } from '../../storage/contract/storage.ts';
import { OVERLOADED } from './action.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import type { Dispatcher } from './call.ts';
import { type CallMessage, type FromThread, fieldNamesOf, packCall, type ToThread, unpackOutcome } from './messages.ts';
import type { Observations } from './rule-parts.ts';

const fieldNames = fieldNamesOf(dispatchedByPath);

/** The role of a thread: the only writer, or the reader for operators and creators. */
export type ThreadRole = 'writer' | 'reader';

/** Data that a thread receives at its start. */
export interface StorageThreadData {
  readonly role: ThreadRole;
  readonly file: string;
  readonly settings: Settings;
  /** Time in milliseconds that a write waits for another process to release the file. */
  readonly lockTimeoutMs?: number | undefined;
  /** True if the thread measures its work. */
  readonly isMeasured?: boolean;
  /** True if any time of the clock is believed; see runtime/engines/engine.ts. */
  readonly believesEveryClock?: boolean | undefined;
  /** See runtime/engines/engine.ts. */
  readonly movedClock?: SharedArrayBuffer | undefined;
  /** See runtime/engines/engine.ts. */
  readonly leasedJobIntervalMs?: number | undefined;
  /** Intervals and bounds of rules' notes in memory, in place of the usual ones. */
  readonly memoryBounds?: Partial<MemoryBounds> | undefined;
}

/** Callbacks for events of a thread other than replies. */
export interface ThreadListeners {
  /** Receives the messages for every thread of each commit, before any of the calls behind it is answered. */
  readonly committed: CommitListener;
  /** Receives failures that do not belong to a call. */
  failure(failure: string): void;
  /** A change may make a sender needed that does not send yet. */
  senderNeeded?(name: SenderName): void;
  /** Receives the state of the clock after each round of the comparison. */
  clock(state: ClockState): void;
  /** Called whenever the availability of the database changes. */
  availability(availability: Availability): void;
  /** Receives a thread's measurements so far about once a second, if it measures. */
  measured?(role: ThreadRole, samples: readonly Sample[]): void;
  /** Called once if a thread ends unexpectedly; calls in progress remain unanswered. */
  death(role: ThreadRole, error: Error): void;
}

/** A running thread. */
export interface StorageThread extends Dispatcher {
  /** Tries a write in the writer thread. One at a time. @throws if the write fails */
  probeWrites(now: number): Promise<void>;
  /** Stops all reads and writes of the thread, because another one found that the file is lost. */
  loseFile(availability: LostFile): void;
  /**
   * Passes the main thread's observed calls to the writer; resolves when the writer has accepted them. One at a time.
   */
  takeObserved(observed: Observations): Promise<void>;
  /** Makes the writer serve the writes of a sender on a port. */
  serveSender<Name extends SenderName>(name: Name, port: MessagePort, settings: SettingsOf<Name>): void;
}

/** The thread of a role, or another thread that does its work: messages in both directions, and its end. */
export type ThreadHandle = Pick<Worker, 'postMessage' | 'on' | 'once' | 'off'>;

/** Starts a thread for a single service. */
export function startOwnThread(data: StorageThreadData): ThreadHandle {
  return new Worker(new URL(`./storage-thread-entry${extname(import.meta.filename)}`, import.meta.url), {
    workerData: data,
  });
}

/**
 * Starts a thread and waits until it accepts calls.
 *
 * @param data its role, the database file and the settings of the rules
 * @param maxCalls maximum number of calls waiting or in progress; further ones are refused with 503. Counted here,
 *   because a thread cannot reply while it waits for the disk or another process's lock.
 * @param start starts the thread itself; tests use one again
 * @throws if the thread cannot open the file; no thread is left running then
 */
export async function startStorageThread(
  data: StorageThreadData,
  maxCalls: number,
  on: ThreadListeners,
  start: (data: StorageThreadData) => ThreadHandle = startOwnThread,
): Promise<StorageThread> {
  const worker = start(data);
  const answers = new AwaitedAnswers();
  let whenReady: (() => void) | undefined;
  let whenClosed: (() => void) | undefined;
  let whenProbed: ((failure: string | null) => void) | undefined;
  let whenObservedTaken: (() => void) | undefined;

  let isDead = false;
  const die = (error: Error) => {
    if (!isDead) on.death(data.role, error);
    isDead = true;
  };
  worker.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'ready':
        return whenReady?.();
      case 'failure':
        return on.failure(message.failure);
      case 'availability':
        return on.availability(message.availability);
      case 'clock':
        return on.clock(message.state);
      case 'measured':
        return on.measured?.(data.role, message.samples);
      case 'probed':
        return whenProbed?.(message.failure);
      case 'sender needed':
        return on.senderNeeded?.(message.name);
      case 'observed taken':
        return whenObservedTaken?.();
      case 'outcomes':
        if (message.published.length > 0) on.committed(Published.passed(message.published));
        for (const outcome of message.outcomes) {
          const [number] = outcome;
          answers.take(number)?.(unpackOutcome(outcome));
        }
    }
  });

  await new Promise<void>((resolve, reject) => {
    const endedEarly = (code: number) => reject(new Error(`the ${data.role} thread ended with ${code}`));
    worker.once('error', reject);
    worker.once('exit', endedEarly);
    whenReady = () => {
      worker.off('error', reject);
      worker.off('exit', endedEarly);
      resolve();
    };
  });
  worker.on('error', (error: unknown) => die(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) =>
    whenClosed ? whenClosed() : die(new Error(`the ${data.role} thread ended with ${code}`)),
  );

  const send = (message: ToThread) => worker.postMessage(message);
  const sendCall = gatherEachTick<CallMessage>((calls) => send({ kind: 'calls', calls }));

  return {
    dispatch(call, answer) {
      if (answers.size >= maxCalls)
        return answer(outcomeOfRefusal(OVERLOADED, dispatchedByPath.get(call.path)?.flag ?? 'success'));
      sendCall(packCall(answers.add(answer), call, fieldNames));
    },
    async probeWrites(now) {
      const failure = await new Promise<string | null>((resolve) => {
        whenProbed = resolve;
        send({ kind: 'probe', now });
      });
      if (failure !== null) throw new Error(failure);
    },
    loseFile: (availability) => send({ kind: 'file lost', availability }),
    takeObserved(observed) {
      return new Promise((resolve) => {
        whenObservedTaken = resolve;
        send({ kind: 'observed', observed });
      });
    },
    serveSender: (name, port, settings) =>
      worker.postMessage({ kind: 'sender', name, port, settings } satisfies ToThread, [port]),
    async close() {
      const closed = new Promise<void>((resolve) => (whenClosed = resolve));
      setImmediate(() => send({ kind: 'close' }));
      await closed;
    },
  };
}
