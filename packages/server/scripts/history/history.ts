/**
 * Makes the history of a shop: weeks of sales, use and misuse, all through the service's own endpoints and rules, with a
 * clock that is moved from one thing to the next. Nothing is written beside the service.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { believingEvery } from '../../src/believed-time/believed-time.ts';
import { DAY_MS, HOUR_MS, toTimestamp } from '../../src/clock.ts';
import { tidy } from '../../src/jobs/tidying.ts';
import { CLIENT_PATHS } from '../../src/observed-calls/metrics.ts';
import { countLicenses } from '../../src/statistics/counting-licenses.ts';
import { openStorage } from '../../src/storage/open.ts';
import { startOwnService } from '../own-service.ts';
import type { ServiceClient } from '../service-client.ts';
import { Agenda } from './agenda.ts';
import { Calls, COUNTRY_HEADER } from './calls.ts';
import { Chance } from './chance.ts';
import { planIncidents } from './incidents.ts';
import { openShop, planChanges } from './opening.ts';
import { FLOATING_TIMEOUT, planOrganisations } from './organisations.ts';
import type { Past, SoldLicense } from './past.ts';
import { planSales } from './sales.ts';
import { planStudioOrders } from './studio-orders.ts';
import { planNotes } from './support-desk.ts';

/** What is configured of the service, while the history is made and afterwards. */
export const SETTINGS = {
  LATCHKEY_COUNTRY_HEADER: COUNTRY_HEADER,
  LATCHKEY_FLOATING_TIMEOUT: FLOATING_TIMEOUT,
  LATCHKEY_CONSOLE_LABEL: 'demo',
};

/** How often the service writes what it counted: often, because its clock runs so fast. */
const WRITE_INTERVAL_MS = 80;
/** After so much of the history it is awaited; more than 48 hours at once are more than it keeps in memory. */
const STRETCH_MS = 36 * HOUR_MS;
/** How long that may take, in milliseconds of a real clock, and how often it is looked at. */
const PATIENCE_MS = 60_000;
const LOOK_INTERVAL_MS = 15;

/** What to make. */
export interface HistoryOptions {
  /** An empty data directory. */
  readonly directory: string;
  readonly days: number;
  /** The same seed makes the same history. */
  readonly seed: string;
  /** When it ends, in milliseconds. */
  readonly end: number;
  /** Hears now and then which share of it is made. */
  readonly onProgress?: (share: number) => void;
}

interface Period {
  readonly begin: number;
  readonly now: number;
}

/** What was made. */
export interface History {
  readonly sold: readonly SoldLicense[];
  /** Calls of apps, by what came of them, named as /getStatistics names it. */
  readonly counted: ReadonlyMap<string, number>;
}

/** Makes the history in a database of its own. */
export async function makeHistory(options: HistoryOptions): Promise<History> {
  const { directory, days, seed, end } = options;
  const begin = end - days * DAY_MS;
  let now = begin;
  const { service, stop } = await startOwnService({
    directory,
    clock: () => now,
    environment: { ...SETTINGS, LATCHKEY_QUEUE_WAIT: 'off', LATCHKEY_NETWORK_CALLS: 'off' },
    bounds: { refusalIntervalMs: WRITE_INTERVAL_MS, countIntervalMs: WRITE_INTERVAL_MS },
  });
  const calls = new Calls(service);
  const agenda = new Agenda(end);
  const past: Past = { calls, agenda, chance: new Chance(seed), begin, sold: [] };
  try {
    await openShop(past);
    for (const plan of [planOrganisations, planSales, planStudioOrders, planIncidents, planNotes, planChanges])
      plan(past);
    for (let from = begin; from < end; from += STRETCH_MS) {
      const until = Math.min(from + STRETCH_MS, end);
      await agenda.run(until, (at) => {
        now = Math.max(now, at);
      });
      now = until;
      await untilCounted(service, calls, { begin, now });
      options.onProgress?.((until - begin) / (end - begin));
    }
  } finally {
    await stop();
  }
  await runJobs(directory, end);
  return { sold: past.sold, counted: calls.counted };
}

/**
 * Waits until the service has written what it counted. It keeps the counts of some hours in memory, which pass quickly
 * here, and those beyond would be lost.
 */
async function untilCounted(service: ServiceClient, { counted }: Calls, { begin, now }: Period): Promise<void> {
  const metrics = CLIENT_PATHS.map((path) => `${path.slice(1)}.ok`);
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

/** Does what the service does in the background, so that its first answers are complete. */
async function runJobs(directory: string, now: number): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', file: `${directory}/latchkey.db` });
  try {
    await tidy(
      storage,
      believingEvery(() => now),
      { pauseMs: 0 },
    );
    await countLicenses(storage, () => now, { pauseMs: 0 });
  } finally {
    await storage.close();
  }
}
