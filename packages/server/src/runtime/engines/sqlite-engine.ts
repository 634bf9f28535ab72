/**
 * The wiring of SQLite. The main thread answers /verify, from a cache of licenses if possible. A reader thread, started
 * by the first read, runs all other reads, and a writer thread runs all writes.
 */
import { dispatchedByPath, identify } from '../../app.ts';
import { elapsedMs } from '../../ground/base/clock.ts';
import { type Opened, openAll } from '../../ground/base/opened.ts';
import type { Sample } from '../../ground/measures/measures.ts';
import { startFollowingRounds } from '../../platform/believed-time/rounds.ts';
import type { SenderName } from '../../platform/senders/sender.ts';
import { AvailabilityWatch, isLostFile } from '../../storage/contract/availability.ts';
import { probeReads } from '../../storage/contract/probe-store.ts';
import { type Availability, StorageAway } from '../../storage/contract/storage.ts';
import { openStorage, prepareDatabase } from '../../storage/opening/open.ts';
import { createIfAbsent } from '../../storage/sqlite/sqlite-connection.ts';
import { noteDamage, refuseDamagedFile } from '../../storage/sqlite/sqlite-damage.ts';
import { sqliteDifferences } from '../../storage/sqlite/sqlite-differences.ts';
import { type FileIdentity, identityOf, isStillAt } from '../../storage/sqlite/sqlite-file.ts';
import { lockSqliteFile } from '../../storage/sqlite/sqlite-file-lock.ts';
import { makeRoomToStart } from '../../storage/sqlite/sqlite-reserve.ts';
import { endpointOf, isWrite, outcomeOfFailure } from '../dispatch/action.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import { createLocalDispatcher } from '../dispatch/local-dispatcher.ts';
import { Parties } from '../dispatch/parties.ts';
import { QueuedWork, queueWork } from '../dispatch/queued-work.ts';
import { RuleParts } from '../dispatch/rule-parts.ts';
import { startWhenCalled } from '../dispatch/start-when-called.ts';
import {
  type StorageThread,
  startStorageThread,
  type ThreadListeners,
  type ThreadRole,
} from '../dispatch/storage-thread.ts';
import type { Engine, EngineParts } from './engine.ts';
import { openSenders } from './open-senders.ts';

/**
 * Opens a database file for this process alone, and migrates its tables.
 *
 * @throws if another server uses it, or if it cannot be opened; nothing stays open then
 * @throws the reason of the signal that aborted the start
 */
export function openSqliteEngine(file: string, parts: EngineParts): Promise<Engine> {
  return openAll(parts.signal, (opened) => openParts(file, parts, opened));
}

async function openParts(file: string, parts: EngineParts, opened: Opened): Promise<Engine> {
  const { settings, clock, queueWaitMs, bounds, on, signal, measures } = parts;
  const database = { engine: 'sqlite', file } as const;
  // The lock depends on the file, so the file must exist.
  createIfAbsent(file);
  await opened.part(
    () => lockSqliteFile(file, bounds.locksInode),
    (fileLock) => fileLock.release(),
  );
  makeRoomToStart(file);
  await refuseDamagedFile(file, signal);
  await prepareDatabase(database, clock(), on.migrations, signal);
  const { lockTimeoutMs, maxCalls, believesEveryClock, movedClock, leasedJobIntervalMs, startThread: start } = bounds;
  // This thread signs no tokens and sees no violations; the writer has its own keys and tally.
  const rules = new RuleParts({ settings, clock, thread: 'front', believesEveryClock, bounds: bounds.memory ?? {} });
  const { judge, ruleContext } = rules;
  let hear: (availability: Availability) => void = () => {};
  const threads: StorageThread[] = [];
  // If one thread finds the file lost, all of them stop using it, because its pages can no longer be trusted to agree.
  const fileWatch = new AvailabilityWatch();
  fileWatch.add((found) => {
    if (isLostFile(found)) for (const thread of threads) thread.loseFile(found);
    if (found.state === 'damaged') noteDamage(file, found.reason);
    hear(found);
  });
  let startSender: (name: SenderName) => void = () => {};
  const ofThreads = new Map<ThreadRole, readonly Sample[]>();
  const listeners: ThreadListeners = {
    ...on,
    measured: (role, samples) => ofThreads.set(role, samples),
    committed(published) {
      rules.onCommitted(published);
      on.committed(published);
    },
    senderNeeded: (name) => startSender(name),
    availability(found) {
      if (isLostFile(found)) fileWatch.failed(found.state, found.reason);
      else if (fileWatch.readRefusal === undefined) hear(found);
    },
  };
  const startThread = async (role: ThreadRole) => {
    if (fileWatch.readRefusal !== undefined) throw fileWatch.readRefusal;
    const data = {
      role,
      file,
      settings,
      lockTimeoutMs,
      isMeasured: measures !== undefined,
      believesEveryClock,
      movedClock,
      leasedJobIntervalMs,
      memoryBounds: bounds.memory,
    };
    const thread = await startStorageThread(data, maxCalls, listeners, start);
    threads.push(thread);
    return thread;
  };
  measures?.addSource(() => [...ofThreads.values()].flat());
  measures?.beforeSamples(() => {
    for (const part of rules.parts) part.measure?.(measures);
  });
  const parties = new Parties();
  const inTurn = (thread: Dispatcher, queue: ThreadRole, atOnce: number) =>
    queueWork(
      thread,
      dispatchedByPath,
      new QueuedWork(
        { atOnce, maxWaiting: bounds.maxOtherWaiting, longestWaitMs: queueWaitMs },
        elapsedMs,
        measures && { measures, queue },
      ),
      parties,
    );
  const { writingThread, writer } = await opened.part(
    async () => {
      const writingThread = await startThread('writer');
      return { writingThread, writer: inTurn(writingThread, 'writer', bounds.otherWritesAtOnce) };
    },
    (part) => part.writer.close(),
  );
  await opened.part(
    () => rules.startHandingOver(writingThread.takeObserved),
    (stop) => stop(),
  );
  const identity = identityOf(file);
  // Calls that wait for the start are not in the queue, because one slow start must not count towards the pace of
  // reads.
  const { otherReadsAtOnce, maxOtherWaiting } = bounds;
  // Closed before the writer: the last connection that may write removes the log; a read-only one would leave it.
  const reader = await opened.part(
    () =>
      startWhenCalled(
        async () => inTurn(await startOnFile(file, identity, () => startThread('reader')), 'reader', otherReadsAtOnce),
        otherReadsAtOnce + maxOtherWaiting,
      ),
    (part) => part.close(),
  );
  // The reader measures the stored data at intervals, so it must run even without reads.
  if (measures !== undefined) await reader.start();
  const context = { endpoints: dispatchedByPath, identify, ruleContext };
  const { storage, here } = await opened.part(
    async () => {
      const storage = await openStorage(database, { availability: fileWatch });
      const options = { batchesAtOnce: sqliteDifferences.batchesAtOnce, maxCalls, measures };
      return { storage, here: createLocalDispatcher(storage, context, options) };
    },
    (part) => part.here.close(),
  );
  // The writer keeps the rounds.
  if (judge !== null)
    await opened.part(
      () => startFollowingRounds(judge, storage, (error) => on.failure(String(error))),
      (stop) => stop(),
    );
  startSender = await openSenders(opened, parts, file, storage, writingThread.serveSender);
  return {
    name: 'sqlite',
    dispatcher: {
      dispatch(call, answer) {
        const endpoint = endpointOf(call, context);
        // Checked here, because licenses in the cache are answered without a read.
        const { readRefusal } = fileWatch;
        if (readRefusal !== undefined) return answer(outcomeOfFailure(readRefusal, endpoint));
        const writes = isWrite(call, endpoint);
        if (endpoint.work.kind === 'batch') (writes ? writingThread : here).dispatch(call, answer);
        else (writes ? writer : reader).dispatch(call, answer);
      },
      close: () => opened.close(),
    },
    read: (look) => storage.read(look),
    readForVisitor: async (_address, look) => ({ found: await storage.read(look) }),
    ruleContext,
    probeReads: () => probeReads(storage),
    probeWrites: () => writingThread.probeWrites(clock()),
    onAvailability: (listener) => {
      hear = listener;
      if (isLostFile(fileWatch.known)) listener(fileWatch.known);
    },
  };
}

/**
 * Starts a thread that reads the file that the service has open. By now its path may lead to another file, or to no
 * file, and then opening it would create an empty one.
 *
 * @param identity of the file that the service has open
 * @throws StorageAway if that file is no longer there
 */
async function startOnFile(
  file: string,
  identity: FileIdentity | undefined,
  start: () => Promise<Dispatcher>,
): Promise<Dispatcher> {
  const refuseOther = () => {
    if (identity === undefined || !isStillAt(file, identity)) throw new StorageAway(`${file} was deleted or replaced`);
  };
  refuseOther();
  const thread = await start();
  try {
    refuseOther();
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}
