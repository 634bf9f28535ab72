/**
 * The wiring of PostgreSQL. Everything runs on the main thread over a connection pool. Other processes may write as
 * well, so nothing that was read is cached.
 */

import { dispatchedByPath, identify } from '../../app.ts';
import { busyThread } from '../../ground/base/busy-thread.ts';
import { elapsedMs } from '../../ground/base/clock.ts';
import { LongSteps } from '../../ground/base/long-steps.ts';
import { type Opened, openAll } from '../../ground/base/opened.ts';
import { BELIEVED } from '../../platform/believed-time/believed-time.ts';
import { startKeepingRounds } from '../../platform/believed-time/rounds.ts';
import { recordedChanges } from '../../platform/events/recorded-changes.ts';
import { startJobs } from '../../platform/jobs/schedule.ts';
import type { SenderName } from '../../platform/senders/sender.ts';
import { probeReads, probeWrites } from '../../storage/contract/probe-store.ts';
import { openWhenReachable } from '../../storage/opening/database-wait.ts';
import { openStorage, prepareDatabase } from '../../storage/opening/open.ts';
import { postgresDifferences } from '../../storage/postgres/postgres-differences.ts';
import { endpointOf } from '../dispatch/action.ts';
import { createLocalDispatcher } from '../dispatch/local-dispatcher.ts';
import { measureChanges } from '../dispatch/measured-changes.ts';
import { measuringStored } from '../dispatch/measuring-stored.ts';
import { Parties } from '../dispatch/parties.ts';
import { asQueuedWork, QueuedWork, queueWork, readsInTurn } from '../dispatch/queued-work.ts';
import { RuleParts } from '../dispatch/rule-parts.ts';
import { SenderStores } from '../dispatch/sender-stores.ts';
import type { Engine, EngineParts } from './engine.ts';
import { openSenders } from './open-senders.ts';

/**
 * Concurrent other work while this thread is busy, and the reads among it. More would not finish sooner, and long lists
 * delay the client endpoints (docs/contributors/decisions/0007). A write may wait for a lock, so one is not enough.
 */
const WHILE_BUSY = { atOnce: 2, readsAtOnce: 1 } as const;

/** The address of the database, and the limits of its connections. */
export interface PostgresLocation {
  readonly url: string;
  readonly poolSize: number;
  /** Connections reserved for the five client endpoints. */
  readonly reservedConnections: number;
  /** Time in milliseconds to wait for a server that is not reachable yet. */
  readonly waitMs: number;
}

/**
 * Opens a database that any number of processes may share, and migrates its tables.
 *
 * @throws if it cannot be reached, or not in time; nothing stays open then
 * @throws the reason of the signal that aborted the start
 */
export function openPostgresEngine(location: PostgresLocation, parts: EngineParts): Promise<Engine> {
  return openAll(parts.signal, (opened) => openParts(location, parts, opened));
}

async function openParts(location: PostgresLocation, parts: EngineParts, opened: Opened): Promise<Engine> {
  const { url, poolSize, reservedConnections, waitMs } = location;
  const { settings, clock, queueWaitMs, bounds, on, signal, measures } = parts;
  const database = { engine: 'postgres', url } as const;
  const { awaited, reached, noticed } = on;
  const { believesEveryClock } = bounds;
  const rules = new RuleParts({ settings, clock, thread: 'alone', believesEveryClock, bounds: bounds.memory ?? {} });
  const { judge, time, ruleContext } = rules;
  const report = (error: unknown) => on.failure(String(error));
  const openDatabase = async () => {
    await prepareDatabase(database, clock(), on.migrations, signal);
    signal.throwIfAborted();
    return openStorage(database, { poolSize, measures, noticed, watchBounds: bounds.watchBounds });
  };
  const isBusy = bounds.isThreadBusy ?? busyThread();
  const maxAtOnce = poolSize - reservedConnections;
  const queuedWork = new QueuedWork(
    {
      get atOnce() {
        return isBusy() ? Math.min(WHILE_BUSY.atOnce, maxAtOnce) : maxAtOnce;
      },
      get readsAtOnce() {
        return isBusy() ? WHILE_BUSY.readsAtOnce : maxAtOnce;
      },
      get maxWaiting() {
        return storage.isSilent ? bounds.maxCallsInSilence : bounds.maxOtherWaiting;
      },
      longestWaitMs: queueWaitMs,
    },
    elapsedMs,
    measures && { measures, queue: 'database' },
  );
  const { storage, background, written, local, queued } = await opened.part(
    async () => {
      const storage = await openWhenReachable(openDatabase, { waitMs, signal, awaited, reached });
      const background = asQueuedWork(storage, queuedWork);
      const written = rules.writing(background, report);
      const local = createLocalDispatcher(
        storage,
        { endpoints: dispatchedByPath, identify, ruleContext },
        {
          batchesAtOnce: postgresDifferences.batchesAtOnce,
          maxCalls: bounds.maxCalls,
          maxCallsInSilence: bounds.maxCallsInSilence,
          measures,
          longSteps: new LongSteps(),
          beforeClose: () => written.writeRest(storage),
        },
      );
      return {
        storage,
        background,
        written,
        local,
        queued: queueWork(local, dispatchedByPath, queuedWork, new Parties()),
      };
    },
    (part) => part.queued.close(),
  );
  await rules.open(storage);
  let startSender: (name: SenderName) => void = () => {};
  const senderStores = await SenderStores.load((name) => startSender(name));
  storage.onCommitted((published) => {
    rules.onCommitted(published);
    on.committed(published);
    const recorded = published.of(recordedChanges);
    senderStores.noteChanges(recorded);
    if (measures !== undefined) measureChanges(measures, recorded);
  });
  if (judge === null) on.clock(BELIEVED);
  else
    await opened.part(
      () => startKeepingRounds(judge, storage, { state: on.clock, failure: report }),
      (stop) => stop(),
    );
  const all = measures === undefined ? written.jobs : [...written.jobs, measuringStored(measures)];
  await opened.part(
    () => startJobs(all, { storage: background, clock, time }, report, bounds.leasedJobIntervalMs),
    (stop) => stop(),
  );
  const writerParts = { storage: background, clock, time, settings };
  startSender = await openSenders(opened, parts, null, background, (name, port, own) =>
    senderStores.serve(name, port, writerParts, own, true),
  );
  return {
    name: 'postgres',
    dispatcher: {
      dispatch(call, answer) {
        const { work } = endpointOf(call, { endpoints: dispatchedByPath });
        (work.kind === 'batch' ? local : queued).dispatch(call, answer);
      },
      close: () => opened.close(),
    },
    read: (look) => storage.read(look),
    readForVisitor: readsInTurn(storage, queuedWork),
    ruleContext,
    probeReads: () => probeReads(storage),
    probeWrites: () => probeWrites(storage, clock()),
    onAvailability: (listener) => storage.onAvailability(listener),
  };
}
