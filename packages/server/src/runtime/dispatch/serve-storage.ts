/** The work of a storage thread (see storage-thread.ts), which has its own connection and runs the actions. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { dispatchedByPath, identify, startAfterChanges } from '../../app.ts';
import { clockIn, MINUTE_MS, systemClock } from '../../ground/base/clock.ts';
import { oncePerTick } from '../../ground/base/tick.ts';
import { measureEventLoop } from '../../ground/measures/event-loop.ts';
import { Measures } from '../../ground/measures/measures.ts';
import { BELIEVED } from '../../platform/believed-time/believed-time.ts';
import { startFollowingRounds, startKeepingRounds } from '../../platform/believed-time/rounds.ts';
import { recordedChanges } from '../../platform/events/recorded-changes.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { startJobs } from '../../platform/jobs/schedule.ts';
import { AvailabilityWatch } from '../../storage/contract/availability.ts';
import { probeWrites } from '../../storage/contract/probe-store.ts';
import type { PassedMessages } from '../../storage/contract/published.ts';
import { openStorage } from '../../storage/opening/open.ts';
import { sqliteDifferences } from '../../storage/sqlite/sqlite-differences.ts';
import { makeReserve } from '../../storage/sqlite/sqlite-reserve.ts';
import { createLocalDispatcher } from './local-dispatcher.ts';
import { measureChanges } from './measured-changes.ts';
import { measuringStored } from './measuring-stored.ts';
import {
  type CallMessage,
  type FromThread,
  fieldNamesOf,
  type OutcomeMessage,
  packOutcome,
  type ToThread,
  unpackCall,
} from './messages.ts';
import { RuleParts } from './rule-parts.ts';
import { SenderStores } from './sender-stores.ts';
import type { StorageThreadData } from './storage-thread.ts';

/** Interval at which measurements are sent to the main thread. */
const MEASURED_INTERVAL_MS = 1_000;

/**
 * Opens a database file and serves it until the message `close`. Then nothing of it is left in the thread: the thread
 * ends by itself, or can serve another file.
 *
 * @param port receives the messages of the main thread (messages.ts); closed at the end
 * @throws if the file cannot be opened
 */
export async function serveStorage(port: MessagePort, data: StorageThreadData): Promise<void> {
  const {
    role,
    file,
    settings,
    lockTimeoutMs,
    isMeasured,
    believesEveryClock = false,
    movedClock,
    leasedJobIntervalMs,
    memoryBounds = {},
  } = data;
  const clock = movedClock === undefined ? systemClock : clockIn(movedClock);
  const measures = isMeasured ? new Measures() : undefined;
  const report = (error: unknown) => send({ kind: 'failure', failure: String(error) });
  const availability = new AvailabilityWatch();
  availability.add((found) => send({ kind: 'availability', availability: found }));
  const storage = await openStorage({ engine: 'sqlite', file }, { lockTimeoutMs, measures, availability });
  const rules = new RuleParts({ settings, clock, thread: role, believesEveryClock, bounds: memoryBounds });
  const { judge, time, ruleContext } = rules;
  // The reader has noted nothing, and must not open a connection for writing.
  const written = role === 'writer' ? rules.writing(storage, report) : null;
  const dispatcher = createLocalDispatcher(
    storage,
    { endpoints: dispatchedByPath, identify, ruleContext },
    {
      batchesAtOnce: sqliteDifferences.batchesAtOnce,
      measures,
      beforeClose: async () => written?.writeRest(storage),
    },
  );

  const work = { storage, clock, time };
  const stopJobs: (() => Promise<void>)[] = [];
  if (role === 'reader') {
    if (judge !== null) stopJobs.push(await startFollowingRounds(judge, storage, report));
  } else if (judge === null) send({ kind: 'clock', state: BELIEVED });
  else
    stopJobs.push(
      await startKeepingRounds(judge, storage, { state: (state) => send({ kind: 'clock', state }), failure: report }),
    );
  if (written !== null) {
    await rules.open(storage);
    const keepingReserve: Job = {
      name: 'keep a reserve of disk space',
      every: MINUTE_MS,
      leased: false,
      run: () => makeReserve(file),
    };
    stopJobs.push(
      startAfterChanges(storage, report),
      startJobs([...written.jobs, keepingReserve], work, report, leasedJobIntervalMs),
    );
  }

  if (measures !== undefined) {
    const stopMeasuring = measureEventLoop(measures, role);
    stopJobs.push(async () => stopMeasuring());
    if (role === 'reader') stopJobs.push(startJobs([measuringStored(measures)], work, report));
    const sending = setInterval(() => send({ kind: 'measured', samples: measures.samples() }), MEASURED_INTERVAL_MS);
    stopJobs.push(async () => clearInterval(sending));
  }

  const senderStores =
    role === 'writer' ? await SenderStores.load((name) => send({ kind: 'sender needed', name })) : null;
  let passed: PassedMessages[] = [];
  let outcomes: OutcomeMessage[] = [];
  let transferred: ArrayBuffer[] = [];
  /** Sends one message for all outcomes of this tick. */
  const sendOutcomes = oncePerTick(() => {
    send({ kind: 'outcomes', published: passed, outcomes }, transferred);
    passed = [];
    outcomes = [];
    transferred = [];
  });

  storage.onCommitted((published) => {
    rules.onCommitted(published);
    const recorded = published.of(recordedChanges);
    senderStores?.noteChanges(recorded);
    if (measures !== undefined) measureChanges(measures, recorded);
    const toPass = published.toPass();
    if (toPass.length === 0) return;
    passed.push(...toPass);
    sendOutcomes();
  });

  function send(message: FromThread, transferred: ArrayBuffer[] = []): void {
    port.postMessage(message, transferred);
  }

  const fieldNames = fieldNamesOf(dispatchedByPath);

  function run(call: CallMessage, whenAnswered?: () => void): void {
    dispatcher.dispatch(unpackCall(call, fieldNames), (outcome) => {
      outcomes.push(packOutcome(call[0], outcome, transferred));
      sendOutcomes();
      whenAnswered?.();
    });
  }

  /** Reads run one by one, because concurrency gains nothing here: a short read is answered before the next begins. */
  let reads = Promise.resolve();
  function runInTurn(call: CallMessage): void {
    reads = reads.then(async () => {
      await new Promise<void>((resolve) => run(call, resolve));
      await nextTurn();
    });
  }

  async function take(message: ToThread): Promise<void> {
    switch (message.kind) {
      case 'calls':
        // Calls written together share one wait for the disk.
        for (const call of message.calls) role === 'writer' ? run(call) : runInTurn(call);
        return;
      case 'probe':
        return probeWrites(storage, message.now).then(
          () => send({ kind: 'probed', failure: null }),
          (error: unknown) => send({ kind: 'probed', failure: String(error) }),
        );
      case 'observed':
        rules.accept(message.observed);
        return send({ kind: 'observed taken' });
      case 'sender':
        return senderStores?.serve(message.name, message.port, { ...work, settings }, message.settings, false);
      case 'file lost':
        return availability.failed(message.availability.state, message.availability.reason);
      case 'close':
        await reads;
        for (const stop of stopJobs) await stop();
        await dispatcher.close();
        setImmediate(() => port.close());
    }
  }

  port.on('message', (first: ToThread) => {
    void take(first);
    // Messages that queued up while a commit waited for the disk join the same batch.
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      void take(next.message as ToThread);
  });
  send({ kind: 'ready' });
}
