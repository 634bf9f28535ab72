/**
 * The wiring of SQLite. The main thread answers /verify, from a cache of licenses where it can; a reader thread runs
 * all other reads, and a writer thread everything that writes.
 */
import { endpointsByPath, identify } from '../app.ts';
import { endpointOf, isWrite } from '../dispatch/action.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import { createLocalDispatcher } from '../dispatch/local-dispatcher.ts';
import { limitOtherWork, OtherWork } from '../dispatch/other-work.ts';
import { startStorageThreads } from '../dispatch/storage-thread.ts';
import { LicenseCache } from '../licenses/client/license-cache.ts';
import { TokenKeys } from '../licenses/token-keys.ts';
import { ViolationTally } from '../licenses/violation-tally.ts';
import { engineDifferences } from '../storage/engine-differences.ts';
import { migrateDatabase, openStorage } from '../storage/open.ts';
import { probeReads } from '../storage/probe-store.ts';
import { lockSqliteFile } from '../storage/sqlite-file-lock.ts';
import type { Availability } from '../storage/storage.ts';
import type { Engine, EngineParts } from './engine.ts';

/** Licenses that a process which is the only writer keeps in memory: about 100 MB when full. */
const LICENSES_IN_CACHE = 100_000;

/**
 * Opens a database file for this process alone, its tables brought up to date.
 *
 * @throws when another server has it, or when it cannot be opened
 */
export async function openSqliteEngine(file: string, parts: EngineParts): Promise<Engine> {
  const { settings, clock, queueWaitMs, bounds, on } = parts;
  const database = { engine: 'sqlite', file } as const;
  const fileLock = lockSqliteFile(file);
  await migrateDatabase(database, clock());
  const licenseCache = new LicenseCache(LICENSES_IN_CACHE);
  const { lockTimeoutMs, mostCalls } = bounds;
  let hear: (availability: Availability) => void = () => {};
  const threads = await startStorageThreads({ file, settings, lockTimeoutMs }, mostCalls, {
    ...on,
    committed: (licenseKeys) => licenseCache.forget(licenseKeys),
    availability: (availability) => hear(availability),
  });
  const inTurn = (thread: Dispatcher, atOnce: number) =>
    limitOtherWork(
      thread,
      endpointsByPath,
      new OtherWork({ atOnce, mostWaiting: bounds.mostOtherWaiting, longestWaitMs: queueWaitMs }),
    );
  const writer = inTurn(threads.writer, bounds.otherWritesAtOnce);
  const reader = inTurn(threads.reader, bounds.otherReadsAtOnce);
  const storage = await openStorage(database);
  const context = {
    endpoints: endpointsByPath,
    identify,
    // Nothing is signed or observed here: the writer has keys and a tally of its own.
    ruleContext: { settings, tokenKeys: new TokenKeys(), violationTally: new ViolationTally(), licenseCache },
  };
  const here = createLocalDispatcher(storage, context, {
    batchesAtOnce: engineDifferences.sqlite.batchesAtOnce,
    mostCalls,
  });
  return {
    name: 'sqlite',
    dispatcher: {
      dispatch(call, answer) {
        const endpoint = endpointOf(call, context);
        if (isWrite(call, endpoint)) return writer.dispatch(call, answer);
        (endpoint.work.kind === 'batch' ? here : reader).dispatch(call, answer);
      },
      async close() {
        // The last connection that may write takes the log away; one that only reads would leave it behind.
        await Promise.all([here.close(), reader.close()]);
        await writer.close();
        fileLock.release();
      },
    },
    probeReads: () => probeReads(storage),
    probeWrites: () => threads.writer.probeWrites(clock()),
    onAvailability: (listener) => {
      hear = listener;
    },
  };
}
