/**
 * The wiring of PostgreSQL. Everything runs on the main thread over a pool of connections; other processes may write as
 * well, so nothing that was read is kept.
 */
import { endpointsByPath, identify } from '../app.ts';
import { elapsedMs } from '../clock.ts';
import { createLocalDispatcher } from '../dispatch/local-dispatcher.ts';
import { asOtherWork, limitOtherWork, OtherWork } from '../dispatch/other-work.ts';
import { startTidying } from '../jobs/tidying.ts';
import { SigningKeys } from '../license-files/signing-keys.ts';
import { TokenKeys } from '../licenses/token-keys.ts';
import { startWritingRepeats, writeRepeats } from '../licenses/violation-record.ts';
import { ViolationTally } from '../licenses/violation-tally.ts';
import { measureChanges } from '../measures/recorded-changes.ts';
import { startMeasuringStored } from '../measures/stored.ts';
import { ObservedCalls } from '../observed-calls/observed-calls.ts';
import { ObservedWriter } from '../observed-calls/write-observed.ts';
import type { RuleContext } from '../rule-context.ts';
import { startCountingLicenses } from '../statistics/counting-licenses.ts';
import { openWhenReachable } from '../storage/database-wait.ts';
import { engineDifferences } from '../storage/engine-differences.ts';
import { openStorage, prepareDatabase } from '../storage/open.ts';
import { probeReads, probeWrites } from '../storage/probe-store.ts';
import type { Engine, EngineParts } from './engine.ts';

/** Where the database is, and how many connections to it there may be. */
export interface PostgresLocation {
  readonly url: string;
  readonly poolSize: number;
  /** Connections that only the five client endpoints may take. */
  readonly reservedConnections: number;
  /** How long to wait for a server that is not there yet, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Opens a database that any number of processes may share, its tables brought up to date.
 *
 * @throws when it cannot be reached, or was not there in time
 * @throws WaitEnded
 */
export async function openPostgresEngine(location: PostgresLocation, parts: EngineParts): Promise<Engine> {
  const { url, poolSize, reservedConnections } = location;
  const { settings, clock, queueWaitMs, bounds, on, signal, measures } = parts;
  const database = { engine: 'postgres', url } as const;
  const { awaited, reached } = on;
  const storage = await openWhenReachable(
    async () => {
      await prepareDatabase(database, clock());
      return openStorage(database, { poolSize, measures });
    },
    { waitMs: location.waitMs, signal, awaited, reached },
  );
  const tokenKeys = new TokenKeys(settings.tokenLifetimeMs);
  await tokenKeys.open(storage, clock);
  const signingKeys = new SigningKeys(settings.signingKeys);
  await signingKeys.open(storage, clock);
  const violationTally = new ViolationTally();
  const observedCalls = new ObservedCalls(bounds.mostRefusalRows);
  storage.onCommitted((_changedLicenseKeys, recorded) => {
    observedCalls.noteChanges(recorded);
    if (measures !== undefined) measureChanges(measures, recorded);
  });
  const ruleContext: RuleContext = {
    settings,
    tokenKeys,
    signingKeys,
    violationTally,
    observedCalls,
    licenseCache: null,
  };
  const report = (error: unknown) => on.failure(String(error));
  const local = createLocalDispatcher(
    storage,
    { endpoints: endpointsByPath, identify, ruleContext },
    {
      batchesAtOnce: engineDifferences.postgres.batchesAtOnce,
      mostCalls: bounds.mostCalls,
      measures,
      beforeClose: async () => {
        await writeRepeats(storage, violationTally, clock(), true).catch(report);
        await observedWriter.writeAll();
      },
    },
  );
  const otherWork = new OtherWork(
    {
      atOnce: poolSize - reservedConnections,
      mostWaiting: bounds.mostOtherWaiting,
      longestWaitMs: queueWaitMs,
    },
    elapsedMs,
    measures && { measures, queue: 'database' },
  );
  const dispatcher = limitOtherWork(local, endpointsByPath, otherWork);
  const background = asOtherWork(storage, otherWork);
  const stopTidying = startTidying(background, clock, report, settings.eventRetentionMs);
  const stopWritingRepeats = startWritingRepeats(background, violationTally, clock, report);
  const stopMeasuringStored = measures && startMeasuringStored(background, clock, measures);
  const observedWriter = new ObservedWriter(background, observedCalls, report);
  const stopWritingObserved = observedWriter.start(bounds);
  const stopCountingLicenses = startCountingLicenses(background, clock, report);
  return {
    name: 'postgres',
    dispatcher: {
      dispatch: dispatcher.dispatch,
      async close() {
        await stopMeasuringStored?.();
        await stopTidying();
        await stopWritingRepeats();
        await stopWritingObserved();
        await stopCountingLicenses();
        await dispatcher.close();
      },
    },
    async publishedKeys() {
      await storage.read((sql) => signingKeys.refresh(sql, clock()));
      return signingKeys.published(clock());
    },
    probeReads: () => probeReads(storage),
    probeWrites: () => probeWrites(storage, clock()),
    onAvailability: (listener) => storage.onAvailability(listener),
  };
}
