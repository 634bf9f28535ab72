/** Puts the parts together: storage, dispatcher, listener, sockets. What tests start is this, too. */
import { setTimeout as wait } from 'node:timers/promises';
import { endpoints, endpointsByPath, identify, sections } from './app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { openCountries } from './countries.ts';
import type { Dispatcher } from './dispatch/call.ts';
import { createLocalDispatcher } from './dispatch/local-dispatcher.ts';
import { startWriterThread } from './dispatch/writer-thread.ts';
import { greeting } from './greeting.ts';
import { openCertificate } from './http/certificate.ts';
import { digestSecrets } from './http/credentials.ts';
import { healthDocuments } from './http/health.ts';
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
import { migrateDatabase, openStorage } from './storage/open.ts';
import { claimSqlite } from './storage/sqlite-claim.ts';
import type { Storage } from './storage/storage.ts';

/** Requests under way may take this long to finish after a signal to stop. */
const GRACE_MS = 10_000;
/** Licenses that a process which is the only writer keeps in memory: about 100 MB when full. */
const LICENSES_IN_MEMORY = 100_000;
/** Batches of a lane under way at once on PostgreSQL: one decides while the other commits. */
const POSTGRES_BATCHES_AT_ONCE = 2;

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
 * @throws ConfigError and storage errors, before anything listens
 */
export async function startServer(config: Config, clock: Clock = systemClock): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const secrets = openSecrets(config);
  const countryOf = await openCountries(config);
  const certificate = config.trustedProxies === null ? await openCertificate(config, clock()) : null;
  for (const warning of [...secrets.warnings, ...(certificate?.notices ?? [])])
    logger.warn({ event: 'start.noticed', warning });

  const claim = config.database.engine === 'sqlite' ? claimSqlite(config.database.file) : null;
  await migrateDatabase(config.database, clock());
  const { storage, dispatcher } = await openDispatcher(config, clock, {
    trouble: (failure) => logger.error({ event: 'tidying.failed', failure }),
    death(error) {
      logger.fatal({ event: 'writer.died', failure: error.stack });
      logger.flush(() => process.exit(1));
    },
  });
  let isStopping = false;
  const listener = createListener({
    endpoints: endpointsByPath,
    documents: new Map([...healthDocuments(storage, () => isStopping), ...referenceDocuments(sections)]),
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
      await dispatcher.close();
      claim?.release();
      logger.info({ event: 'service.stopped' });
      await new Promise<void>((resolve) => logger.flush(() => resolve()));
    },
  };
}

/**
 * SQLite: reads here, writes in the writer thread. PostgreSQL: all here, over a pool; other processes may write as well,
 * so nothing read is kept.
 */
async function openDispatcher(
  config: Config,
  clock: Clock,
  on: { trouble(failure: string): void; death(error: Error): void },
): Promise<{ storage: Storage; dispatcher: Dispatcher }> {
  const { database } = config;
  const { tokenLifetimeMs, floatingTimeoutMs, creatorsMayCreateProducts } = config;
  const settings: Settings = { tokenLifetimeMs, floatingTimeoutMs, creatorsMayCreateProducts };
  if (database.engine === 'postgres') {
    const storage = await openStorage(database, { poolSize: database.poolSize });
    const service = { settings, tokenKeys: await openTokenKeys(storage, clock), licenseMemory: null };
    const around = { endpoints: endpointsByPath, identify, service };
    const dispatcher = createLocalDispatcher(storage, around, POSTGRES_BATCHES_AT_ONCE);
    const stopTidying = startTidying(storage, clock, (error) => on.trouble(String(error)));
    return {
      storage,
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
  const writer = await startWriterThread(
    { file: database.file, settings },
    (keys) => memory.forget(keys),
    on.trouble,
    on.death,
  );
  const storage = await openStorage(database);
  const service: Service = { settings, tokenKeys: new TokenKeys(), licenseMemory: memory };
  const reader = createLocalDispatcher(storage, { endpoints: endpointsByPath, identify, service }, 1);
  return {
    storage,
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
