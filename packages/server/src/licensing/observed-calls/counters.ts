/**
 * Counts events in memory by product, metric and hour, until the counts are added to the stored ones. Counting a call
 * takes two look-ups and an addition, and allocates nothing.
 */
import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { isDailyAlone } from './metrics.ts';
import { ALL_PRODUCTS, type Statistic, type StatisticStep } from './statistic-table.ts';

/**
 * Maximum number of product counters in memory, about 100 bytes each; further products are counted only in the totals
 * of all products.
 */
const MAX_COUNTERS = 20_000;
/** Maximum number of hours in memory. More occur only if a clock jumps, and further ones are not counted. */
const MAX_HOURS = 48;

interface Counter {
  value: number;
}

/** By metric, then by product. */
type CountersOfHour = Map<string, Map<string, Counter>>;

/** The count of one product, metric and hour. A tuple, because it crosses threads. */
export type Count = readonly [productId: string, metric: string, hour: number, value: number];

export class Counters {
  readonly #most: number;
  #hours = new Map<number, CountersOfHour>();
  #size = 0;
  /** The hour counted most recently, in milliseconds, and its counters. */
  #hour = Number.NaN;
  #ofHour: CountersOfHour = new Map();

  /** @param most maximum number of product counters in memory */
  constructor(most = MAX_COUNTERS) {
    this.#most = most;
  }

  /**
   * Adds to a counter.
   *
   * @param productId {@link ALL_PRODUCTS} for an event without a product
   * @param metric from a closed list, because it stays in memory
   * @param now time of the event, in milliseconds
   */
  count(productId: string, metric: string, now: number, times = 1): void {
    const hour = now - (now % HOUR_MS);
    if (hour !== this.#hour && !this.#turnTo(hour)) return;
    const counter = this.#ofHour.get(metric)?.get(productId);
    if (counter === undefined) this.#begin(productId, metric, times);
    else counter.value += times;
  }

  /** Removes and returns the counts since the last call. */
  take(): Count[] {
    const counts: Count[] = [];
    for (const [hour, ofHour] of this.#hours)
      for (const [metric, products] of ofHour)
        for (const [productId, { value }] of products) counts.push([productId, metric, hour, value]);
    this.#hours = new Map();
    this.#size = 0;
    this.#hour = Number.NaN;
    return counts;
  }

  /** Adds the counts of another thread. */
  add(counts: readonly Count[]): void {
    for (const [productId, metric, hour, value] of counts) this.count(productId, metric, hour, value);
  }

  #turnTo(hour: number): boolean {
    let ofHour = this.#hours.get(hour);
    if (ofHour === undefined) {
      if (this.#hours.size >= MAX_HOURS) return false;
      ofHour = new Map();
      this.#hours.set(hour, ofHour);
    }
    this.#hour = hour;
    this.#ofHour = ofHour;
    return true;
  }

  #begin(productId: string, metric: string, times: number): void {
    let products = this.#ofHour.get(metric);
    if (products === undefined) {
      products = new Map();
      this.#ofHour.set(metric, products);
    }
    const counted = productId === ALL_PRODUCTS || this.#size < this.#most ? productId : ALL_PRODUCTS;
    const counter = products.get(counted);
    if (counter !== undefined) counter.value += times;
    else {
      products.set(counted, { value: times });
      if (counted !== ALL_PRODUCTS) this.#size += 1;
    }
  }
}

/**
 * The increments of the stored statistics for these counts: for the product and for all products, by hour and by day.
 * Each key occurs once, in key order.
 */
export function statisticsOf(counts: readonly Count[]): Statistic[] {
  const added = new Map<string, { -readonly [Field in keyof Statistic]: Statistic[Field] }>();
  const add = (productId: string, step: StatisticStep, metric: string, moment: number, value: number) => {
    const at = toTimestamp(moment);
    const key = JSON.stringify([productId, step, metric, at]);
    const known = added.get(key);
    if (known === undefined) added.set(key, { productId, step, metric, at, value });
    else known.value += value;
  };
  for (const [productId, metric, hour, value] of counts)
    for (const product of productId === ALL_PRODUCTS ? [ALL_PRODUCTS] : [ALL_PRODUCTS, productId]) {
      if (!isDailyAlone(metric)) add(product, 'hour', metric, hour, value);
      add(product, 'day', metric, hour - (hour % DAY_MS), value);
    }
  return [...added].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, statistic]) => statistic);
}
