/**
 * Creates the history of a shop: weeks of sales, use and misuse, all through the service's own endpoints and rules,
 * with a clock that jumps from one event to the next. Only the service's own background jobs, at the end, write to the
 * database directly.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { jobsOf } from '../../src/app.ts';
import { MAIL_BOUNDS } from '../../src/customers/mail/sender.ts';
import { clockIn, DAY_MS, HOUR_MS, toTimestamp } from '../../src/ground/base/clock.ts';
import { OBSERVED_PATHS } from '../../src/licensing/observed-calls/metrics.ts';
import { believingEvery } from '../../src/platform/believed-time/believed-time.ts';
import { runInTurn } from '../../src/platform/jobs/schedule.ts';
import { withStorage } from '../../src/storage/opening/open.ts';
import { jobContextOf } from '../../test/support/contexts.ts';
import { startOwnService } from '../own-service.ts';
import type { ServiceClient } from '../service-client.ts';
import { Agenda } from './agenda.ts';
import { Calls, COUNTRY_HEADER } from './calls.ts';
import { planIncidents } from './incidents.ts';
import { openShop, planChanges } from './opening.ts';
import { FLOATING_TIMEOUT, planOrganisations } from './organisations.ts';
import type { Outside } from './outside.ts';
import type { Past, SoldLicense } from './past.ts';
import { Random } from './random.ts';
import { planSales } from './sales.ts';
import { planStudioOrders } from './studio-orders.ts';
import { planNotes } from './support-desk.ts';

/** Settings of the service, during and after the history. */
export const SETTINGS = {
  LATCHKEY_COUNTRY_HEADER: COUNTRY_HEADER,
  LATCHKEY_FLOATING_TIMEOUT: FLOATING_TIMEOUT,
  LATCHKEY_CONSOLE_LABEL: 'demo',
};

/** Interval at which the service stores its counts: short, because its clock runs fast. */
const WRITE_INTERVAL_MS = 80;
/** Interval at which the service looks for e-mails to send, for the same reason. */
const MAIL_INTERVAL_MS = 20;
/** Length of history after which the script waits for the counts; the service keeps at most 48 hours in memory. */
const STRETCH_MS = 36 * HOUR_MS;
/** The retention of events unless the operator sets another. */
const EVENT_RETENTION_MS = 400 * DAY_MS;
/** Maximum wait and polling interval, in milliseconds of the real clock. */
const PATIENCE_MS = 60_000;
const LOOK_INTERVAL_MS = 15;

/** Parameters of the history. */
export interface HistoryOptions {
  /** An empty data directory. */
  readonly directory: string;
  readonly days: number;
  /** The same seed creates the same history. */
  readonly seed: string;
  /** End of the history, in milliseconds. */
  readonly end: number;
  /** Takes the e-mails and the events. */
  readonly outside: Outside;
  /** Receives the completed share from time to time. */
  readonly onProgress?: (share: number) => void;
}

interface Period {
  readonly begin: number;
  readonly now: number;
}

/** The finished history. */
export interface History {
  readonly sold: readonly SoldLicense[];
  /** Number of calls of apps by result, under the names of /getStatistics. */
  readonly counted: ReadonlyMap<string, number>;
}

/** Creates the history in a new database. */
export async function makeHistory(options: HistoryOptions): Promise<History> {
  const { directory, days, seed, end, outside } = options;
  const begin = end - days * DAY_MS;
  const time = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  const setTime = (now: number) => Atomics.store(time, 0, BigInt(Math.round(now)));
  const clock = clockIn(time.buffer);
  setTime(begin);
  const { service, stop } = await startOwnService({
    directory,
    clock,
    environment: {
      ...SETTINGS,
      ...outside.environment,
      ...{ LATCHKEY_QUEUE_WAIT: 'off', LATCHKEY_NETWORK_CALLS: 'off' },
    },
    bounds: {
      memory: { refusalIntervalMs: WRITE_INTERVAL_MS, countIntervalMs: WRITE_INTERVAL_MS },
      movedClock: time.buffer,
      mailSender: { ...MAIL_BOUNDS, lookMs: MAIL_INTERVAL_MS },
    },
  });
  const calls = new Calls(service);
  const agenda = new Agenda(end);
  const past: Past = { calls, agenda, random: new Random(seed), begin, outside, sold: [] };
  try {
    await openShop(past);
    for (const plan of [planOrganisations, planSales, planStudioOrders, planIncidents, planNotes, planChanges])
      plan(past);
    for (let from = begin; from < end; from += STRETCH_MS) {
      const until = Math.min(from + STRETCH_MS, end);
      await agenda.run(until, (at) => {
        setTime(Math.max(clock(), at));
      });
      setTime(until);
      await untilCounted(service, calls, { begin, now: until });
      await untilMailed(service);
      options.onProgress?.((until - begin) / (end - begin));
    }
  } finally {
    await stop();
  }
  await runJobs(directory, end);
  return { sold: past.sold, counted: calls.counted };
}

/**
 * Waits until the service has stored its counts. It keeps only some hours of counts in memory, which pass quickly here;
 * counts beyond them would be lost.
 */
async function untilCounted(service: ServiceClient, { counted }: Calls, { begin, now }: Period): Promise<void> {
  const metrics = OBSERVED_PATHS.map((path) => `${path.slice(1)}.ok`);
  const expected = metrics.reduce((sum, metric) => sum + (counted.get(metric) ?? 0), 0);
  const request = { metrics, from: toTimestamp(begin), to: toTimestamp(now + 1) };
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await service.post('/getStatistics', request, { 'X-Admin-Secret': service.adminSecret });
    const found = (body.series as { points: { value: number }[] }[]).flatMap(({ points }) => points);
    const written = found.reduce((sum, { value }) => sum + value, 0);
    if (written === expected) return;
    if (performance.now() > deadline) throw new Error(`the service counted ${written} of ${expected} calls`);
    await wait(LOOK_INTERVAL_MS);
  }
}

/** Waits until no e-mail waits: one that waits for two days, which pass quickly here, is not sent any more. */
async function untilMailed(service: ServiceClient): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const request = { state: 'waiting', limit: 1 };
    const { body } = await service.post('/listMails', request, { 'X-Admin-Secret': service.adminSecret });
    if (body.count === 0) return;
    if (performance.now() > deadline) throw new Error('the service does not send an e-mail');
    await wait(LOOK_INTERVAL_MS);
  }
}

/** Runs the service's background jobs, so that its first replies are complete. */
async function runJobs(directory: string, now: number): Promise<void> {
  await withStorage({ engine: 'sqlite', file: `${directory}/latchkey.db` }, {}, async (storage) => {
    const context = jobContextOf(storage, { eventRetentionMs: EVENT_RETENTION_MS });
    const clock = () => now;
    await runInTurn(jobsOf(context), { storage, clock, time: believingEvery(clock), pauseMs: 0 });
  });
}
