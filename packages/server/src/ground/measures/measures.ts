/**
 * Measurements of one thread: numbers in memory, created once and then updated in place, because some change on every
 * call. Samples of them are sent to other threads and exported.
 */
import type { CounterMetric, GaugeMetric, HistogramMetric, LabelsOf, Metric, MetricName } from './metric.ts';

/** A number that only increases. */
export interface Counter {
  value: number;
}

/** A histogram: the number of values in each range. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** Number of values in the range that ends with each bound; the last entry counts values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds of the ranges, ascending and inclusive */
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

  /** The count of each range, and the sum of all values. */
  get value(): DistributionState {
    return { counts: [...this.#counts], sum: this.#sum };
  }
}

/** A histogram in exported form: the counts of each range and above, and the sum of the values. */
export interface DistributionState {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** One number or one histogram of a metric. Plain data, because samples cross threads. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | DistributionState;
}

/** A counter or histogram and its labels. */
interface Measured<Of> extends Pick<Sample, 'name' | 'labels'> {
  readonly of: Of;
}

/** The measurements of one thread. No two instances in a process may measure the same metric with the same labels. */
export class Measures {
  readonly #counters = new Map<string, Measured<Counter>>();
  readonly #distributions = new Map<string, Measured<Distribution>>();
  readonly #gauges = new Map<string, Pick<Sample, 'name' | 'labels'> & { value: number }>();
  readonly #beforeSamples: (() => void)[] = [];
  readonly #sources: (() => readonly Sample[])[] = [];

  /** The counter of a metric with these labels, which starts at 0. The caller increments it. */
  counter<Of extends CounterMetric>(metric: Of, labels: LabelsOf<Of>): Counter {
    const key = keyOf(metric, labels);
    const known = this.#counters.get(key);
    if (known !== undefined) return known.of;
    const counter = { value: 0 };
    this.#counters.set(key, { name: metric.name, labels, of: counter });
    return counter;
  }

  /** The histogram of a metric with these labels, which starts empty. */
  histogram<Of extends HistogramMetric>(metric: Of, labels: LabelsOf<Of>): Distribution {
    const key = keyOf(metric, labels);
    const known = this.#distributions.get(key);
    if (known !== undefined) return known.of;
    const distribution = new Distribution(metric.bounds);
    this.#distributions.set(key, { name: metric.name, labels, of: distribution });
    return distribution;
  }

  set<Of extends GaugeMetric>(metric: Of, labels: LabelsOf<Of>, value: number): void {
    this.#gauges.set(keyOf(metric, labels), { name: metric.name, labels, value });
  }

  /**
   * Registers a callback that runs whenever samples are taken, to set gauges that are read only then. It must be quick
   * and not throw.
   */
  beforeSamples(set: () => void): void {
    this.#beforeSamples.push(set);
  }

  /** Adds a source of samples taken elsewhere, for example by another thread. */
  addSource(samples: () => readonly Sample[]): void {
    this.#sources.push(samples);
  }

  /** All measurements so far. */
  samples(): readonly Sample[] {
    for (const set of this.#beforeSamples) set();
    return [
      ...[...this.#counters.values(), ...this.#distributions.values()].map(sampleOf),
      ...this.#gauges.values(),
      ...this.#sources.flatMap((source) => source()),
    ];
  }
}

function sampleOf({ name, labels, of }: Measured<Counter | Distribution>): Sample {
  return { name, labels, value: of.value };
}

function keyOf({ name, labels: names }: Metric, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, ...names.map((label) => labels[label])]);
}
