/**
 * The metrics of a service: the measures of the main thread, and the port that serves all measures to scrapers. While
 * metrics are off, neither exists.
 */
import type { Logger } from 'pino';
import { mailKinds, sliceMetrics } from '../../app.ts';
import { type Clock, DAY_MS } from '../../ground/base/clock.ts';
import { isLoopback } from '../../ground/base/network-address.ts';
import { startMeasuringDisk } from '../../ground/measures/disk.ts';
import { measureEventLoop } from '../../ground/measures/event-loop.ts';
import { CONTENT_TYPE, exposition, measureProcess } from '../../ground/measures/exposition.ts';
import { type Counter, Measures } from '../../ground/measures/measures.ts';
import type { Metric } from '../../ground/measures/metric.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import type { Reports } from '../../platform/endpoint/slice-metrics.ts';
import { isUnreadable } from '../../storage/contract/availability.ts';
import type { Availability } from '../../storage/contract/storage.ts';
import type { Config } from '../config/config.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import type { Engine } from '../engines/engine.ts';
import type { AnswerObserver } from '../http/answered.ts';
import { type Certificate, describeCertificate } from '../http/certificate.ts';
import type { ClosedFor } from '../http/closed-connections.ts';
import { createMetricsListener, METRICS_PATH } from '../http/metrics-listener.ts';
import { directPeer, proxiedPeer } from '../http/peer.ts';
import { lostLogLines } from '../http/request-log.ts';
import { type Listening, listen } from '../http/server.ts';
import type { UnsentAnswers } from '../http/unsent-answers.ts';
import { measureAnswers } from './measured-answers.ts';
import { packageVersion } from './package-version.ts';

/** Scrapers are few; connections beyond this number are closed. */
const MAX_CONNECTIONS = 32;
/** Scrapes of one connection at once. */
const CALLS_PER_CONNECTION = 4;

/** Every metric of the service. */
export const EXPORTED_METRICS: readonly Metric[] = [
  ...Object.values(NODE_METRICS),
  ...sliceMetrics.flatMap(({ metrics }) => Object.values(metrics)),
];

/** The subjects of metrics beside the measures. */
export interface MetricsSubjects {
  readonly config: Config;
  readonly engine: Pick<Engine, 'name'>;
  /** The certificate in use; null behind a proxy. */
  readonly certificate: () => Certificate | null;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Open connections and unsent bytes, each with its maximum. */
export interface BoundedConnections {
  readonly listening: Pick<Listening, 'connectionCount'>;
  readonly maxConnections: number;
  readonly unsent: Pick<UnsentAnswers, 'bytes'>;
  readonly maxUnsentBytes: number;
}

/** The metrics of a service that has them on. */
export interface Metrics {
  /** The measures that the parts of the service update. */
  readonly measures: Measures;
  /** Returns an observer of replies that counts them and passes them to another observer. */
  observing(observe: AnswerObserver, countedPaths: readonly string[]): AnswerObserver;
  /** Returns a dispatcher that counts the calls in progress. */
  counting(dispatcher: Dispatcher): Dispatcher;
  /** Counts a failed job. */
  noteFailedJob(): void;
  /** Records the availability of the database. */
  noteAvailability(availability: Availability): void;
  /** Counts a connection that was closed because a bound was reached. */
  noteClosed(reason: ClosedFor): void;
  /** Exports the numbers of a listening service at each scrape. */
  watch(bounded: BoundedConnections): void;
  /** Records the state of the clock after a round. */
  noteClock(state: ClockState): void;
  /** Opens the port. @throws as listen does */
  listen(subjects: MetricsSubjects): Promise<Listening>;
  /** Measures the reports of a sender of this node. */
  report<Kind extends keyof Reports>(kind: Kind, report: Reports[Kind]): void;
  /** Stops measuring. */
  stop(): void;
}

/** Starts measuring. */
export function startMetrics(): Metrics {
  const measures = new Measures();
  measureProcess();
  const stopEventLoop = measureEventLoop(measures, 'main');
  let stopDisk = () => {};
  const failedJobs = measures.counter(NODE_METRICS.latchkey_failed_jobs_total, {});
  noteAvailability({ state: 'available' });
  const jumps = {
    ahead: measures.counter(NODE_METRICS.latchkey_clock_jumps_total, { direction: 'ahead' }),
    back: measures.counter(NODE_METRICS.latchkey_clock_jumps_total, { direction: 'back' }),
  };

  const closed: Readonly<Record<ClosedFor, Counter>> = {
    unread: measures.counter(NODE_METRICS.latchkey_closed_connections_total, { reason: 'unread' }),
    network: measures.counter(NODE_METRICS.latchkey_closed_connections_total, { reason: 'network' }),
    connections: measures.counter(NODE_METRICS.latchkey_closed_connections_total, { reason: 'connections' }),
  };

  const listeners = sliceMetrics.flatMap(({ ofReports }) => ofReports?.(measures, mailKinds) ?? []);

  function noteAvailability(availability: Availability): void {
    measures.set(NODE_METRICS.latchkey_database_can, { what: 'read' }, isUnreadable(availability) ? 0 : 1);
    measures.set(NODE_METRICS.latchkey_database_can, { what: 'write' }, availability.state === 'available' ? 1 : 0);
  }

  return {
    measures,
    report(kind, report) {
      for (const each of listeners) each[kind]?.(report);
    },
    observing(observe, countedPaths) {
      const measure = measureAnswers(measures, countedPaths);
      return (answered) => {
        measure(answered);
        observe(answered);
      };
    },
    counting(dispatcher) {
      let waiting = 0;
      measures.beforeSamples(() => measures.set(NODE_METRICS.latchkey_waiting_calls, {}, waiting));
      return {
        dispatch(call, answer) {
          waiting += 1;
          dispatcher.dispatch(call, (outcome) => {
            waiting -= 1;
            answer(outcome);
          });
        },
        close: () => dispatcher.close(),
      };
    },
    noteFailedJob() {
      failedJobs.value += 1;
    },
    noteAvailability,
    noteClosed(reason) {
      closed[reason].value += 1;
    },
    watch({ listening, maxConnections, unsent, maxUnsentBytes }) {
      measures.set(NODE_METRICS.latchkey_connections_limit, {}, maxConnections);
      measures.set(NODE_METRICS.latchkey_unsent_bytes_limit, {}, maxUnsentBytes);
      measures.beforeSamples(() => {
        measures.set(NODE_METRICS.latchkey_connections, {}, listening.connectionCount());
        measures.set(NODE_METRICS.latchkey_unsent_bytes, {}, unsent.bytes);
      });
    },
    noteClock({ doubt, jumpMs }) {
      measures.set(NODE_METRICS.latchkey_clock_believed, {}, doubt === null ? 1 : 0);
      if (jumpMs !== 0) jumps[jumpMs > 0 ? 'ahead' : 'back'].value += 1;
    },
    async listen({ config, engine, certificate, logger, clock }) {
      const lost = measures.counter(NODE_METRICS.latchkey_log_lines_lost_total, {});
      measures.set(NODE_METRICS.latchkey_info, { version: packageVersion(), engine: engine.name }, 1);
      measures.beforeSamples(() => {
        lost.value = lostLogLines();
        const served = certificate();
        if (served === null) return;
        const now = clock();
        measures.set(NODE_METRICS.latchkey_certificate_days_left, {}, (served.endsAt - now) / DAY_MS);
        measures.set(
          NODE_METRICS.latchkey_certificate_days_until_valid,
          {},
          Math.max(0, served.startsAt - now) / DAY_MS,
        );
      });
      const { dataDirectory, backupMark, database } = config;
      const databaseFile = database.engine === 'sqlite' ? database.file : null;
      stopDisk = startMeasuringDisk(measures, { dataDirectory, databaseFile, backupMark });
      const { host, port } = config.metrics ?? { host: 'localhost', port: 0 };
      const isOpen = !isLoopback(host);
      const listener = createMetricsListener({
        scrape: async () => exposition(measures.samples(), EXPORTED_METRICS),
        contentType: CONTENT_TYPE,
        peerOf:
          isOpen && config.trustedProxies !== null ? peerBehindProxies(config, config.trustedProxies) : directPeer,
        *names() {
          yield* ['localhost', host, ...(config.metrics?.names ?? [])];
          const served = isOpen ? certificate() : null;
          if (served !== null) yield* describeCertificate(served).names;
        },
        onFailure: (error) => logger.error({ event: 'metrics.failed', failure: String(error) }),
      });
      const listening = await listen(listener, {
        host,
        port,
        tls: isOpen ? certificate() : null,
        requestTimeoutMs: config.requestTimeoutMs,
        callsPerConnection: CALLS_PER_CONNECTION,
        maxConnections: MAX_CONNECTIONS,
        onEnded: () => {},
      });
      logger.info({ event: 'metrics.started', port: listening.port });
      return listening;
    },
    stop() {
      stopEventLoop();
      stopDisk();
    },
  };
}

/** Scrapers are accepted like the probes of load balancers: from this machine, from a private network, or forwarded. */
function peerBehindProxies(
  { addressHeader }: Pick<Config, 'addressHeader'>,
  trusted: NonNullable<Config['trustedProxies']>,
) {
  const probePaths = new Set([METRICS_PATH]);
  return proxiedPeer({ trusted, addressHeader, probePaths, onProtocolMissing: () => {} });
}
