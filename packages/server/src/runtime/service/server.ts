/** Assembles the service: storage, dispatcher, listener, sockets. Tests start the same service. */
import { setTimeout as wait } from 'node:timers/promises';
import { conditions, endpointsByPath, endpointsWithoutConsole, findWarnings, sections, sitesOf } from '../../app.ts';
import { type Clock, MINUTE_MS, systemClock, toTimestamp } from '../../ground/base/clock.ts';
import { type Opened, openAll } from '../../ground/base/opened.ts';
import { NODE_REPORT_MS } from '../../insight/operator-notices/note-node.ts';
import type { SettingsOf } from '../../platform/senders/sender.ts';
import { documentsSite } from '../../platform/sites/documents.ts';
import type { Site, SiteParts } from '../../platform/sites/site.ts';
import { databaseWarnings } from '../../storage/opening/open.ts';
import { PUBLIC_ADDRESSES } from '../../webhooks/destinations/address-policy.ts';
import type { Config } from '../config/config.ts';
import { openSecrets } from '../config/secrets.ts';
import { readSigningKeyFile } from '../config/signing-key-file.ts';
import { handNodeFacts } from '../dispatch/hand-node-facts.ts';
import type { EngineBounds, EngineParts } from '../engines/engine.ts';
import { openEngine } from '../engines/open.ts';
import { createAdmission } from '../http/admission.ts';
import { observeEndedConnections } from '../http/answered.ts';
import {
  type Certificate,
  describeCertificate,
  notValidYet,
  openCertificate,
  renewWhereDue,
} from '../http/certificate.ts';
import { type CertificateWatch, endingLine, watchCertificate } from '../http/certificate-watch.ts';
import { logClosedConnections } from '../http/closed-connections.ts';
import { connectionRoom } from '../http/connection-room.ts';
import { consoleSite, findConsoleFolder } from '../http/console-files.ts';
import { createCors } from '../http/cors.ts';
import { openCountries } from '../http/countries.ts';
import { digestSecrets } from '../http/credentials.ts';
import { type HealthParts, watchHealth } from '../http/health.ts';
import { listenFault } from '../http/listen-fault.ts';
import { createListener } from '../http/listener.ts';
import { pathPrefixOf } from '../http/path-prefix.ts';
import { directPeer, isTrustedBy, proxiedPeer } from '../http/peer.ts';
import { createLogger, createRequestLog } from '../http/request-log.ts';
import { type Listening, listen } from '../http/server.ts';
import { UnsentAnswers } from '../http/unsent-answers.ts';
import { referenceSites } from '../reference/sites.ts';
import { logAvailability } from './availability-log.ts';
import { type ClockWatch, watchClock } from './clock-watch.ts';
import { watchConditions } from './condition-watch.ts';
import { deliverySettings } from './delivery-settings.ts';
import { listenToEngine } from './engine-listeners.ts';
import { greeting } from './greeting.ts';
import { mailSettings } from './mail-settings.ts';
import { watchNode } from './node-facts.ts';
import { reportNode } from './node-report.ts';
import { type RuleBounds, ruleSettings } from './rule-settings.ts';

/** Time for requests in progress to finish after a signal to stop. */
const GRACE_MS = 10_000;
/** Bounds that are not configurable; tests set small ones. */
export interface Bounds extends EngineBounds, RuleBounds {
  /** Interval at which the service tests that the database accepts writes, in milliseconds. */
  readonly writeProbeIntervalMs: number;
  /** Timeout of such a test, and of the read behind /readyz, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** Time for which /readyz repeats the result of its last read, in milliseconds. */
  readonly readProbeKeptMs: number;
  /** A failure within `relapseMs` of a recovery is a relapse: it ends after `calmMs` without failures. Milliseconds. */
  readonly relapseMs: number;
  readonly calmMs: number;
  /** Interval at which the files of the certificate and its expiry are checked, in milliseconds. */
  readonly certificateLookIntervalMs: number;
  /** Interval at which the node reports its conditions, in milliseconds. */
  readonly nodeReportIntervalMs: number;
  /** Bounds of the sender of events. */
  readonly sender: SettingsOf<'events'>['bounds'];
  /** Addresses of the APIs of sellers in place of the real ones, by the name of the seller. */
  readonly shopOrigins: Readonly<Record<string, string>>;
  /** Bounds of the sender of e-mails. */
  readonly mailSender: SettingsOf<'mails'>['bounds'];
  /** Further sites, for tests. */
  readonly sites?: (parts: SiteParts) => readonly Site[];
  /** Folder of the built console, in place of the usual one; null: the console is not built. */
  readonly consoleFolder?: string | null;
}

const BOUNDS: Bounds = {
  maxCalls: 20_000,
  maxCallsInSilence: 250,
  maxOtherWaiting: 2_000,
  isThreadBusy: null,
  otherWritesAtOnce: 128,
  otherReadsAtOnce: 2,
  lockTimeoutMs: 5_000,
  writeProbeIntervalMs: 10_000,
  probeTimeoutMs: 5_000,
  readProbeKeptMs: 1_000,
  relapseMs: 30_000,
  calmMs: 10_000,
  certificateLookIntervalMs: MINUTE_MS,
  nodeReportIntervalMs: NODE_REPORT_MS,
  deliveryAddresses: PUBLIC_ADDRESSES,
  sender: {},
  shopOrigins: {},
  mailSender: {},
  // Per day 10,000 usual replies of a caller, 160,000 of the operator's own programs
  // (docs/contributors/decisions/0020).
  keptReplies: { ofReply: 1024 * 1024, ofCaller: 16 * 1024 * 1024, ofOperatorSecret: 256 * 1024 * 1024 },
};

/** Each is logged once, because it is the same for every request that arrives this way. */
const ADDRESS_UNKNOWN =
  'a request had no trustworthy client address, so no limit per network applies to such requests; the proxies in ' +
  'LATCHKEY_TRUST_PROXY must add the address they see to X-Forwarded-For';
const PROTOCOL_MISSING =
  'a proxy did not say whether the client used HTTPS, so its request was refused with 426: the proxies in ' +
  'LATCHKEY_TRUST_PROXY must send X-Forwarded-Proto: https with each request that reached them over HTTPS';
const COUNTRIES_DAMAGED =
  'a record of LATCHKEY_GEOIP_FILE is damaged, so its addresses are in no known country; replace the file and restart ' +
  'the service';

/** A running service. */
export interface RunningServer {
  readonly port: number;
  /** The port of the metrics; null if metrics are off. */
  readonly metricsPort: number | null;
  /** The greeting for a person at a terminal. */
  readonly greeting: string;
  /** True if the console is on and was built. */
  readonly hasConsole: boolean;
  /** Logs that the report to the service manager failed. */
  logNotifyFailure(error: unknown): void;
  /** Reads the certificate's files again. */
  reload(): void;
  /**
   * For the configured time, reports that it is not ready but still answers; then stops accepting, finishes the calls
   * in progress, flushes and closes.
   */
  stop(reason: string): Promise<void>;
}

/**
 * Starts the service.
 *
 * @param config from runtime/config/config.ts
 * @param clock the source of `now` for every rule; tests move theirs
 * @param given bounds in place of the usual ones, for tests
 * @param signal cancels a start before its next step, or while it waits for its database; without effect after the
 *   start
 * @throws ConfigError, errors of the storage and of the network; nothing stays open then
 * @throws the reason of the signal if the signal cancelled the start
 */
export function startServer(
  config: Config,
  clock: Clock = systemClock,
  given: Partial<Bounds> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  return openAll(signal, (opened) => openParts(config, clock, { ...BOUNDS, ...given }, signal, opened));
}

/**
 * Opens the parts of the service. Every part that keeps the process alive or needs closing is opened through `opened`,
 * which closes it again.
 */
async function openParts(
  config: Config,
  clock: Clock,
  bounds: Bounds,
  signal: AbortSignal,
  opened: Opened,
): Promise<RunningServer> {
  const logger = createLogger(config.logLevel);
  const secrets = openSecrets(config);
  const { signingKeys, warnings: keyWarnings } = readSigningKeyFile(config);
  const startedAt = clock();
  const countries = await openCountries(config, (error) =>
    logger.warn({ event: 'countries.damaged', warning: COUNTRIES_DAMAGED, failure: String(error) }),
  );
  const given = config.trustedProxies === null ? await openCertificate(config, clock()) : null;
  const warnings = [
    ...secrets.warnings,
    ...keyWarnings,
    ...(given?.notices ?? []),
    ...databaseWarnings(config.database),
  ];
  for (const warning of warnings) logger.warn({ event: 'start.noticed', warning });

  const settings = ruleSettings(config, secrets, signingKeys, bounds);
  // Loaded only if metrics are on, because it loads a library.
  const { startMetrics } = config.metrics === null ? {} : await import('./metrics.ts');
  const metrics = startMetrics === undefined ? null : await opened.part(startMetrics, (part) => part.stop());
  const clockWatch = watchClock(logger, (state) => metrics?.noteClock(state));
  const engineParts: EngineParts = {
    measures: metrics?.measures,
    settings,
    clock,
    queueWaitMs: config.limits.queueWaitMs,
    senders: {
      events: deliverySettings(config, settings, bounds.sender),
      mails: mailSettings(config, bounds.mailSender),
      shops: config.deliveries.isOn ? { origins: bounds.shopOrigins } : null,
    },
    bounds,
    signal,
    on: listenToEngine(config, logger, metrics, clockWatch.note),
  };
  const engine = await opened.part(
    () => openEngine(config.database, engineParts),
    ({ dispatcher }) => dispatcher.close(),
  );
  // A database that cannot be read is reported elsewhere.
  const found = await engine.read((sql) => findWarnings(sql, settings)).catch(() => []);
  for (const warning of found) logger.warn({ event: 'start.noticed', warning });
  await opened.part(
    () => watchConditions(conditions, logger, engine.read, clock),
    (stop) => stop(),
  );
  const renewed = given !== null && clockWatch.isBelieved() ? await renewWhereDue(given, clock()) : null;
  for (const warning of renewed?.notices ?? []) logger.warn({ event: 'start.noticed', warning });
  const certificate = renewed ?? given;
  let isStopping = false;
  const healthParts: HealthParts = {
    probeReads: engine.probeReads,
    probeWrites: engine.probeWrites,
    isStopping: () => isStopping,
    writeProbeIntervalMs: bounds.writeProbeIntervalMs,
    timeoutMs: bounds.probeTimeoutMs,
    readProbeKeptMs: bounds.readProbeKeptMs,
    relapseMs: bounds.relapseMs,
    calmMs: bounds.calmMs,
    onChange(availability) {
      logAvailability(logger, availability);
      metrics?.noteAvailability(availability);
    },
  };
  const health = await opened.part(
    () => watchHealth(healthParts),
    (part) => part.stop(),
  );
  engine.onAvailability(health.note);
  const log = createRequestLog(logger, clock);
  const peerOf =
    config.trustedProxies === null
      ? directPeer
      : proxiedPeer({
          trusted: config.trustedProxies,
          addressHeader: config.addressHeader,
          probePaths: new Set(health.documents.keys()),
          onProtocolMissing: once(() => logger.warn({ event: 'proxy.protocol_missing', warning: PROTOCOL_MISSING })),
        });
  const servesConsole = config.console !== null;
  const { consoleFolder = findConsoleFolder() } = bounds;
  const siteParts: SiteParts = { clock, ruleContext: engine.ruleContext, read: engine.read };
  const sites: readonly Site[] = [
    ...(servesConsole ? [consoleSite(consoleFolder)] : []),
    documentsSite(health.documents),
    ...referenceSites(sections, servesConsole),
    ...(await sitesOf(siteParts)),
    ...(bounds.sites?.(siteParts) ?? []),
  ];
  const served = servesConsole ? endpointsByPath : endpointsWithoutConsole;
  const observe =
    metrics === null
      ? log.observe
      : metrics.observing(
          log.observe,
          sites.flatMap(({ countedPaths }) => countedPaths),
        );
  const serving: Listening[] = [];
  const watched = certificate === null ? null : watchAndServe(certificate, serving, logger, clock, clockWatch);
  const nodeFacts = watchNode({
    config,
    startedAt,
    countriesBuiltAt: countries.builtAt,
    certificate: () => (watched === null ? null : describeCertificate(watched.certificate)),
    clockState: () => clockWatch.state,
  });
  if (settings.operatorNotices !== null)
    await opened.part(
      () =>
        reportNode({
          ...{ dispatcher: engine.dispatcher, nodeFacts, clock, isClockBelieved: clockWatch.isBelieved },
          everyMs: bounds.nodeReportIntervalMs,
        }),
      (stop) => stop(),
    );
  const dispatcher = metrics?.counting(engine.dispatcher) ?? engine.dispatcher;
  const noteClosed = logClosedConnections(logger, (reason) => metrics?.noteClosed(reason));
  const { unsentBytes, callsPerConnection, connections, connectionsPerNetwork } = config.limits;
  const unsent = new UnsentAnswers({ most: unsentBytes, maxOfNetwork: unsentBytes / 2 }, () => noteClosed('unread'));
  const listener = createListener({
    unsent,
    endpoints: served,
    sites,
    prefix: pathPrefixOf(config.publicUrl),
    takesSessions: servesConsole,
    dispatcher,
    tellingDispatcher: handNodeFacts(dispatcher, nodeFacts),
    readForVisitor: engine.readForVisitor,
    secrets: digestSecrets(secrets, config),
    countryOf: countries.countryOf,
    clock,
    observe,
    peerOf,
    cors: createCors(config.corsOrigins),
    admission: createAdmission(
      config.limits,
      clock,
      (address) => unsent.makeRoomIn(address),
      () => logger.warn({ event: 'client.address_unknown', warning: ADDRESS_UNKNOWN }),
    ),
  });
  const { host, port, requestTimeoutMs } = config;
  const maxConnections = connectionRoom(connections);
  const options = {
    ...{ host, port, tls: certificate, requestTimeoutMs, callsPerConnection, unsent, maxConnections },
    maxConnectionsOfNetwork: connectionsPerNetwork,
    isProxy: isTrustedBy(config.trustedProxies),
    onConnectionClosed: noteClosed,
    onEnded: observeEndedConnections({ endpoints: served, peerOf, observe }),
  };
  const subjects = { config, engine, certificate: () => watched?.certificate ?? null, logger, clock };
  const scraped =
    metrics === null
      ? null
      : await opened.part(
          () =>
            metrics
              .listen(subjects)
              .catch(listenFault(config.metrics, 'LATCHKEY_METRICS_HOST', 'LATCHKEY_METRICS_PORT')),
          (part) => part.close(0),
        );
  const listening = await opened.part(
    () => listen(listener, options).catch(listenFault(config, 'HOST', 'PORT')),
    (part) => part.close(GRACE_MS),
  );
  metrics?.watch({ listening, maxConnections, unsent, maxUnsentBytes: unsentBytes });
  serving.push(listening, ...(scraped === null ? [] : [scraped]));
  await opened.part(
    () => setInterval(() => watched?.look(), bounds.certificateLookIntervalMs).unref(),
    (part) => clearInterval(part),
  );
  logger.info({ event: 'service.started', port: listening.port, engine: engine.name, endpoints: served.size });

  const hasConsole = servesConsole && consoleFolder !== null;
  return {
    port: listening.port,
    metricsPort: scraped?.port ?? null,
    greeting: greeting(config, secrets, certificate, listening.port, hasConsole),
    hasConsole,
    logNotifyFailure(error) {
      const warning = `systemd was not notified that the service is ready: ${String(error)}`;
      logger.warn({ event: 'start.noticed', warning });
    },
    reload: () => watched?.reload(),
    async stop(reason) {
      isStopping = true;
      logger.info({ event: 'service.stopping', reason });
      if (config.drainTimeMs > 0) await wait(config.drainTimeMs);
      await opened.close();
      log.finish();
      logger.info({ event: 'service.stopped' });
      await new Promise<void>((resolve) => logger.flush(() => resolve()));
    },
  };
}

/** Watches a certificate: when its files contain another one, all listeners serve that one. */
function watchAndServe(
  certificate: Certificate,
  serving: readonly Listening[],
  logger: ReturnType<typeof createLogger>,
  clock: Clock,
  clockWatch: ClockWatch,
): CertificateWatch {
  return watchCertificate(certificate, clock, {
    replaced(found) {
      for (const each of serving) each.replaceCertificate(found);
      const { certificateFile, endsAt } = found;
      logger.warn({ event: 'certificate.replaced', certificateFile, endsAt: toTimestamp(endsAt) });
    },
    refused: (errors) => logger.error({ event: 'certificate.refused', errors }),
    early: (each) => logger.error({ event: 'certificate.not_valid_yet', warning: notValidYet(each) }),
    mayRenew: clockWatch.isBelieved,
    ending: (each, daysLeft) => logger.warn(endingLine(each, daysLeft)),
  });
}

/** Returns a function that runs `act` the first time only. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
