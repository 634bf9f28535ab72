/** A metric as a value, which holds its types: whoever declares it measures it, and no list names all of them. */

/** The definition of a metric. */
export interface MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence for the `# HELP` line. */
  readonly help: string;
  /** The names of its labels; the values of each come from a closed list. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly bounds?: readonly number[];
}

/** Metrics start with the name of the service. */
export type MetricName = `latchkey_${string}`;

export interface Metric extends MetricDescription {
  readonly name: MetricName;
}

export interface CounterMetric extends Metric {
  readonly type: 'counter';
}
export interface GaugeMetric extends Metric {
  readonly type: 'gauge';
}
export interface HistogramMetric extends Metric {
  readonly type: 'histogram';
  readonly bounds: readonly number[];
}

/** The labels of a metric, each with a value. */
export type LabelsOf<Of extends Metric> = Readonly<Record<Of['labels'][number], string>>;

/** Declares metrics by their names. docs/operators/metrics.md explains each to operators. */
export function declareMetrics<const Described extends Readonly<Record<MetricName, MetricDescription>>>(
  described: Described,
): { readonly [Name in keyof Described]: Described[Name] & { readonly name: Name } } {
  const named = Object.entries(described).map(([name, description]) => [name, { name, ...description }]);
  return Object.fromEntries(named);
}
