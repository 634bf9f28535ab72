/**
 * Formats samples as text for Prometheus, followed by the library's metrics of the Node.js process. The library writes
 * the text. Its counters are not used, because each looks up its labels on every call.
 */
import { collectDefaultMetrics, type Metric, type MetricValue, Registry } from 'prom-client';
import { EXPORTED_METRICS, type MetricDescription, type MetricName } from './exported-metrics.ts';
import type { DistributionState, Sample } from './measures.ts';

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

/** The text of all samples; metrics without samples are omitted. */
export async function exposition(samples: readonly Sample[]): Promise<string> {
  const registry = new Registry();
  const byName = Map.groupBy(samples, ({ name }) => name);
  for (const [name, ofName] of byName) {
    const { type, help } = EXPORTED_METRICS[name];
    const described = { name, help, type, aggregator: 'sum', values: ofName.flatMap((sample) => valuesOf(sample)) };
    // A registry needs no more than this from a metric when it writes.
    registry.registerMetric({ name, get: async () => described } as unknown as Metric);
  }
  const texts = [await registry.metrics(), ofProcess === undefined ? '' : await ofProcess.metrics()];
  return texts.filter((text) => text.trim() !== '').join('\n');
}

type NamedValue = MetricValue<string> & { readonly metricName?: string };

function valuesOf({ name, labels, value }: Sample): NamedValue[] {
  if (typeof value === 'number') return [{ labels, value }];
  return bucketsOf(name, labels, value);
}

function bucketsOf(name: MetricName, labels: Sample['labels'], { counts, sum }: DistributionState): NamedValue[] {
  const { bounds = [] }: MetricDescription = EXPORTED_METRICS[name];
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
