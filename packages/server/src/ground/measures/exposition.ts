/**
 * Formats samples as text for Prometheus, followed by the library's metrics of the Node.js process. The library writes
 * the text. Its counters are not used, because each looks up its labels on every call.
 */
import { type Metric as ClientMetric, collectDefaultMetrics, type MetricValue, Registry } from 'prom-client';
import type { DistributionState, Sample } from './measures.ts';
import type { Metric } from './metric.ts';

/** The media type of the text. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Sampling interval of the event loop lag, in milliseconds. */
const LAG_RESOLUTION_MS = 100;

/** Belongs to the process, not to a service: it is measured once, from the first request on. */
let ofProcess: Registry | undefined;

/** Starts to measure the process. */
export function measureProcess(): void {
  if (ofProcess !== undefined) return;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
}

/**
 * The text of all samples; metrics without samples are omitted.
 *
 * @param metrics every metric that may have samples
 * @throws if a sample is of another metric
 */
export async function exposition(samples: readonly Sample[], metrics: readonly Metric[]): Promise<string> {
  const registry = new Registry();
  const described = new Map(metrics.map((metric) => [metric.name, metric]));
  for (const [name, ofName] of Map.groupBy(samples, (sample) => sample.name)) {
    const metric = described.get(name);
    if (metric === undefined) throw new Error(`the metric ${name} is measured, but no slice lists it`);
    const { type, help } = metric;
    const values = ofName.flatMap((sample) => valuesOf(metric, sample));
    const written = { name, help, type, aggregator: 'sum', values };
    // A registry needs no more than this from a metric when it writes.
    registry.registerMetric({ name, get: async () => written } as unknown as ClientMetric);
  }
  const texts = [await registry.metrics(), ofProcess === undefined ? '' : await ofProcess.metrics()];
  return texts.filter((text) => text.trim() !== '').join('\n');
}

type NamedValue = MetricValue<string> & { readonly metricName?: string };

function valuesOf(metric: Metric, { labels, value }: Sample): NamedValue[] {
  if (typeof value === 'number') return [{ labels, value }];
  return bucketsOf(metric, labels, value);
}

function bucketsOf(
  { name, bounds = [] }: Metric,
  labels: Sample['labels'],
  { counts, sum }: DistributionState,
): NamedValue[] {
  let soFar = 0;
  const buckets = counts.map((count, range) => {
    soFar += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bounds[range] ?? '+Inf') }, value: soFar };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: soFar },
  ];
}
