/**
 * What one thread measures of its own work: numbers in memory, made once and then added to in place, because some of
 * them are added to with every call. What crosses to another thread, and what is exported, are samples of them.
 */
import {
  type CounterName,
  EXPORTED_METRICS,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
} from './exported-metrics.ts';

/** A number that only grows. */
export interface Counter {
  value: number;
}

/** How often a value was in which range: a histogram. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** How many were in the range that ends with each bound; the last is for what is beyond all of them. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds of the ranges, ascending; a bound belongs to the range that it ends */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let range = 0;
    while (range < bounds.length && value > bounds[range]!) range += 1;
    this.#counts[range]! += 1;
    this.#sum += value;
  }

  /** How many there were in each range, and the sum of all values. */
  get state(): DistributionState {
    return { counts: [...this.#counts], sum: this.#sum };
  }
}

/** A histogram as it is exported: how many there were in each range of the metric's bounds and beyond, and their sum. */
export interface DistributionState {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** One number, or one histogram, of a metric. Plain data: samples cross threads. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | DistributionState;
}

/** See the head of this file. No two of a process measure the same metric with the same labels. */
export class Measures {
  readonly #counters = new Map<string, Pick<Sample, 'name' | 'labels'> & { readonly counter: Counter }>();
  readonly #distributions = new Map<
    string,
    Pick<Sample, 'name' | 'labels'> & { readonly distribution: Distribution }
  >();
  readonly #gauges = new Map<string, Pick<Sample, 'name' | 'labels'> & { value: number }>();
  readonly #beforeSamples: (() => void)[] = [];
  readonly #sources: (() => readonly Sample[])[] = [];

  /** The counter of a metric with these labels, which begins at 0. Its values are added by whoever asked for it. */
  counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Counter {
    const key = keyOf(name, labels);
    const known = this.#counters.get(key);
    if (known !== undefined) return known.counter;
    const counter = { value: 0 };
    this.#counters.set(key, { name, labels, counter });
    return counter;
  }

  /** The histogram of a metric with these labels, which begins empty. */
  histogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>): Distribution {
    const key = keyOf(name, labels);
    const known = this.#distributions.get(key);
    if (known !== undefined) return known.distribution;
    const distribution = new Distribution(EXPORTED_METRICS[name].bounds);
    this.#distributions.set(key, { name, labels, distribution });
    return distribution;
  }

  /** Sets a gauge. */
  set<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.#gauges.set(keyOf(name, labels), { name, labels, value });
  }

  /** Calls `set` whenever samples are taken, to set what is only looked at then. It must be quick and not throw. */
  beforeSamples(set: () => void): void {
    this.#beforeSamples.push(set);
  }

  /** Adds samples that somebody else took, such as another thread. */
  addSource(samples: () => readonly Sample[]): void {
    this.#sources.push(samples);
  }

  /** All that was measured so far. */
  samples(): readonly Sample[] {
    for (const set of this.#beforeSamples) set();
    return [
      ...[...this.#counters.values()].map(({ name, labels, counter }) => ({ name, labels, value: counter.value })),
      ...[...this.#distributions.values()].map(({ name, labels, distribution }) => ({
        name,
        labels,
        value: distribution.state,
      })),
      ...this.#gauges.values(),
      ...this.#sources.flatMap((source) => source()),
    ];
  }
}

function keyOf(name: MetricName, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, ...EXPORTED_METRICS[name].labels.map((label) => labels[label])]);
}
