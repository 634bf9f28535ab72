/** Puts the parts together: storage, dispatcher, listener, sockets. What tests start is this, too. */
import { setTimeout as wait } from 'node:timers/promises';
import { endpoints, endpointsByPath, identify, sections } from './app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { openCountries } from './countries.ts';
import type { Dispatcher } from './dispatch/call.ts';
import { createLocalDispatcher } from './dispatch/local-dispatcher.ts';
import { asOtherWork, limitOtherWork, OtherWork } from './dispatch/other-work.ts';
import { deriveSealingKeys } from './dispatch/reply-seal.ts';
import { startWriterThread } from './dispatch/writer-thread.ts';
import { greeting } from './greeting.ts';
import { openCertificate } from './http/certificate.ts';
import { digestSecrets } from './http/credentials.ts';
import { watchHealth } from './http/health.ts';
import { createListener } from './http/listener.ts';
import { directPeer, proxiedPeer } from './http/peer.ts';
import { createLogger, createRequestLog } from './http/request-log.ts';
import { listen } from './http/server.ts';
import { startTidying } from './jobs/tidying.ts';
import { LicenseMemory } from './licenses/client/license-memory.ts';
import { TokenKeys } from './licenses/token-keys.ts';
import { referenceDocuments } from './reference/documents.ts';
import { openSecrets } from './secrets.ts';
import type { Service, Settings } from './service.ts';
import { databaseWarnings, migrateDatabase, openStorage } from './storage/open.ts';
import { probeReads, probeWrites } from './storage/probe-store.ts';
import { claimSqlite } from './storage/sqlite-claim.ts';
import type { Availability, Storage } from './storage/storage.ts';

/** Requests under way may take this long to finish after a signal to stop. */
const GRACE_MS = 10_000;
/** Licenses that a process which is the only writer keeps in memory: about 100 MB when full. */
const LICENSES_IN_MEMORY = 100_000;
/** Batches of a lane under way at once on PostgreSQL: one decides while the other commits. */
const POSTGRES_BATCHES_AT_ONCE = 2;

/** Bounds that nobody configures; tests set them small. */
export interface Bounds {
  /** Calls that may wait or be under way at once where they are decided. */
  readonly mostCalls: number;
  /** Calls outside the five client endpoints that may wait for their turn at once. */
  readonly mostOtherWaiting: number;
  /** Calls outside the five client endpoints that the writer of SQLite has at once. */
  readonly otherWritesAtOnce: number;
  /** How long a write waits for another process to let go of the file of SQLite, in milliseconds. */
  readonly lockPatienceMs: number;
  /** How often the service tries whether the database takes writes, in milliseconds. */
  readonly writeProbeIntervalMs: number;
  /** How long such a try, or the read behind /readyz, may take before it counts as failed, in milliseconds. */
  readonly probePatienceMs: number;
  /** For how long /readyz answers what its last read has shown, in milliseconds. */
  readonly readProbeKeptMs: number;
}

const BOUNDS: Bounds = {
  mostCalls: 20_000,
  mostOtherWaiting: 2_000,
  otherWritesAtOnce: 128,
  lockPatienceMs: 5_000,
  writeProbeIntervalMs: 10_000,
  probePatienceMs: 5_000,
  readProbeKeptMs: 1_000,
};

/** A service that runs. */
export interface RunningServer {
  readonly port: number;
  /** What to tell a person at a terminal. */
  readonly greeting: string;
  /**
   * Says that it is not ready any more while it still answers, for the configured time; then stops accepting, finishes
   * what is under way, flushes and closes.
   */
  stop(reason: string): Promise<void>;
}

/**
 * Starts the service.
 *
 * @param config from config.ts
 * @param clock the source of `now` for every rule; tests move theirs
 * @param given bounds in place of the usual ones, for tests
 * @throws ConfigError and storage errors, before anything listens
 */
export async function startServer(
  config: Config,
  clock: Clock = systemClock,
  given: Partial<Bounds> = {},
): Promise<RunningServer> {
  const bounds = { ...BOUNDS, ...given };
  const logger = createLogger(config.logLevel);
  const secrets = openSecrets(config);
  const countryOf = await openCountries(config);
  const certificate = config.trustedProxies === null ? await openCertificate(config, clock()) : null;
  const warnings = [...secrets.warnings, ...(certificate?.notices ?? []), ...databaseWarnings(config.database)];
  for (const warning of warnings) logger.warn({ event: 'start.noticed', warning });

  const claim = config.database.engine === 'sqlite' ? claimSqlite(config.database.file) : null;
  await migrateDatabase(config.database, clock());
  const settings: Settings = {
    tokenLifetimeMs: config.tokenLifetimeMs,
    floatingTimeoutMs: config.floatingTimeoutMs,
    creatorsMayCreateProducts: config.creatorsMayCreateProducts,
    sealingKeys: deriveSealingKeys([secrets.adminSecret, config.previousAdminSecret].filter((each) => each !== null)),
  };
  let isStopping = false;
  const { storage, dispatcher, tryWrite, onAvailability } = await openDispatcher(config, settings, clock, bounds, {
    trouble: (failure) => logger.error({ event: 'tidying.failed', failure }),
    death(error) {
      logger.fatal({ event: 'writer.died', failure: error.stack });
      logger.flush(() => process.exit(1));
    },
  });
  const health = watchHealth({
    probeReads: () => probeReads(storage),
    probeWrites: tryWrite,
    isStopping: () => isStopping,
    writeProbeIntervalMs: bounds.writeProbeIntervalMs,
    patienceMs: bounds.probePatienceMs,
    readProbeKeptMs: bounds.readProbeKeptMs,
    onChange: (availability) => logAvailability(logger, availability),
  });
  onAvailability(health.note);
  const listener = createListener({
    endpoints: endpointsByPath,
    documents: new Map([...health.documents, ...referenceDocuments(sections)]),
    dispatcher,
    secrets: digestSecrets(secrets.adminSecret, secrets.webhookSecret),
    countryOf,
    clock,
    log: createRequestLog(logger, endpointsByPath, clock),
    peerOf: config.trustedProxies === null ? directPeer : proxiedPeer(config.trustedProxies),
  });
  const { host, port, requestTimeoutMs } = config;
  const listening = await listen(listener, { host, port, tls: certificate, requestTimeoutMs });
  logger.info({ event: 'service.started', port: listening.port, engine: storage.engine, endpoints: endpoints.length });

  return {
    port: listening.port,
    greeting: greeting(config, secrets, certificate, listening.port),
    async stop(reason) {
      isStopping = true;
      logger.info({ event: 'service.stopping', reason });
      if (config.drainTimeMs > 0) await wait(config.drainTimeMs);
      await listening.close(GRACE_MS);
      await health.stop();
      await dispatcher.close();
      claim?.release();
      logger.info({ event: 'service.stopped' });
      await new Promise<void>((resolve) => logger.flush(() => resolve()));
    },
  };
}

/** One line when the database goes away and one when it is back, however many calls it could not serve meanwhile. */
function logAvailability(logger: ReturnType<typeof createLogger>, availability: Availability): void {
  if (availability.state === 'available') logger.warn({ event: 'database.back' });
  else if (availability.state === 'gone') logger.fatal({ event: 'database.gone', reason: availability.reason });
  else {
    const { state, reason } = availability;
    logger.error({ event: 'database.away', serves: state === 'unwritable' ? 'reads' : 'nothing', reason });
  }
}

/** What calls go to, and the database behind it. */
interface Opened {
  readonly storage: Storage;
  readonly dispatcher: Dispatcher;
  /** Tries whether the database takes writes. @throws when it does not */
  readonly tryWrite: () => Promise<void>;
  /** Names who hears what calls show of the database. */
  readonly onAvailability: (listener: (availability: Availability) => void) => void;
}

/**
 * SQLite: reads here, writes in the writer thread. PostgreSQL: all here, over a pool; other processes may write as well,
 * so nothing read is kept.
 */
async function openDispatcher(
  config: Config,
  settings: Settings,
  clock: Clock,
  { mostCalls, mostOtherWaiting, otherWritesAtOnce, lockPatienceMs }: Bounds,
  on: { trouble(failure: string): void; death(error: Error): void },
): Promise<Opened> {
  const { database } = config;
  const otherWork = new OtherWork({
    atOnce: database.engine === 'postgres' ? database.poolSize - database.reservedConnections : otherWritesAtOnce,
    mostWaiting: mostOtherWaiting,
    longestWaitMs: config.limits.queueWaitMs,
  });
  if (database.engine === 'postgres') {
    const storage = await openStorage(database, { poolSize: database.poolSize });
    const service = { settings, tokenKeys: await openTokenKeys(storage, clock), licenseMemory: null };
    const around = { endpoints: endpointsByPath, identify, service };
    const local = createLocalDispatcher(storage, around, POSTGRES_BATCHES_AT_ONCE, mostCalls);
    const dispatcher = limitOtherWork(local, endpointsByPath, otherWork);
    const stopTidying = startTidying(asOtherWork(storage, otherWork), clock, (error) => on.trouble(String(error)));
    return {
      storage,
      tryWrite: () => probeWrites(storage, clock()),
      onAvailability: (listener) => storage.onAvailability(listener),
      dispatcher: {
        dispatch: dispatcher.dispatch,
        async close() {
          await stopTidying();
          await dispatcher.close();
        },
      },
    };
  }
  const memory = new LicenseMemory(LICENSES_IN_MEMORY);
  let hear: (availability: Availability) => void = () => {};
  const thread = await startWriterThread(
    { file: database.file, settings, mostCalls, lockPatienceMs },
    {
      ...on,
      committed: (keys) => memory.forget(keys),
      availability: (availability) => hear(availability),
    },
  );
  const writer = limitOtherWork(thread, endpointsByPath, otherWork);
  const storage = await openStorage(database);
  const service: Service = { settings, tokenKeys: new TokenKeys(), licenseMemory: memory };
  const reader = createLocalDispatcher(storage, { endpoints: endpointsByPath, identify, service }, 1, mostCalls);
  return {
    storage,
    tryWrite: () => thread.probeWrites(clock()),
    onAvailability: (listener) => {
      hear = listener;
    },
    dispatcher: {
      dispatch(call, answer) {
        const work = endpointsByPath.get(call.path)?.work;
        const isRead = work?.kind === 'read' || (work?.kind === 'batch' && work.batch.mode === 'read');
        (isRead && call.idempotency === null ? reader : writer).dispatch(call, answer);
      },
      async close() {
        // The last connection that may write takes the log away; one that only reads would leave it behind.
        await reader.close();
        await writer.close();
      },
    },
  };
}

async function openTokenKeys(storage: Storage, clock: Clock): Promise<TokenKeys> {
  const tokenKeys = new TokenKeys();
  await tokenKeys.open(storage, clock);
  return tokenKeys;
}
