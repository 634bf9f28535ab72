/**
 * A job that counts sales from the recorded events, apart from any call: it adds events to the figures and marks them
 * in one transaction. An event that is committed late is found late, and one that was marked is never counted again.
 * Events of a database without figures carry no marks, so the first runs count its history.
 */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { byRows, inSteps, tidying } from '../../platform/jobs/tidying.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { addSaleCounts, deleteOldSales, type SaleCount } from './sale-count-store.ts';
import { metricsOf, type SaleMetric, TRIAL_COUNTS_DAYS } from './sale-metric.ts';
import { findTrialOfBuyer, includeEvents, listUncountedEvents, type UncountedEvent } from './uncounted-store.ts';

/** Three years, leap year included, as statistics by the day. */
const KEPT_MS = 1_096 * DAY_MS;

/** A license that counts in a figure on a day. */
export interface Sale {
  readonly productId: string;
  readonly variant: string;
  readonly metric: SaleMetric;
  /** A moment of the day, as a timestamp. */
  readonly at: string;
}

/** Adds sales to the figures. */
export function countSales(tx: Tx, sales: readonly Sale[]): Promise<void> {
  const counts = new Map<string, SaleCount>();
  for (const { productId, variant, metric, at } of sales) {
    const day = toTimestamp(Math.floor(fromTimestamp(at) / DAY_MS) * DAY_MS);
    const key = JSON.stringify([productId, day, variant, metric]);
    counts.set(key, { productId, day, variant, metric, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  const inOrder = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
  return addSaleCounts(tx, inOrder);
}

/** Counts the oldest events that are not counted. @returns their number, at most `most` */
async function countEvents(tx: Tx, most: number): Promise<number> {
  const events = await listUncountedEvents(tx, most);
  if (events.length === 0) return 0;
  const sales = await Promise.all(events.map((event) => salesOf(tx, event)));
  await countSales(tx, sales.flat());
  await includeEvents(
    tx,
    events.map(({ eventId }) => eventId),
  );
  return events.length;
}

async function salesOf(tx: Tx, event: UncountedEvent): Promise<readonly Sale[]> {
  const { type, productId, occurredAt: at, after } = event;
  const metrics = metricsOf(event);
  // Of a later change, the variant at its time may be lost.
  const variant = type === 'license.created' && typeof after?.variant === 'string' ? after.variant : event.variant;
  const sales = metrics.map((metric): Sale => ({ productId, variant, metric, at }));
  if (!metrics.includes('purchased')) return sales;
  const since = toTimestamp(fromTimestamp(event.createdAt) - TRIAL_COUNTS_DAYS * DAY_MS);
  const tried = await findTrialOfBuyer(tx, event, since);
  return tried === undefined ? sales : [...sales, { productId, variant: tried, metric: 'trialsConverted', at }];
}

/** The jobs of a process. The one that counts runs once a minute, first at the start. */
export const salesJobs = (): readonly Job[] => [
  {
    ...inSteps('count sales', { step: byRows((tx, _before, most) => countEvents(tx, most)), ageMs: null }),
    isAtStart: true,
  },
  tidying('delete old figures of sales', { step: byRows(deleteOldSales), ageMs: KEPT_MS }),
];
