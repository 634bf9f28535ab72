/**
 * Samples as text that Prometheus reads, followed by what the library measures of every Node.js process. The library
 * writes the text; its own counters are not used, because each of them looks up its labels with every call.
 */
import { collectDefaultMetrics, type Metric, type MetricValue, Registry } from 'prom-client';
import { EXPORTED_METRICS, type MetricDescription, type MetricName } from './exported-metrics.ts';
import type { DistributionState, Sample } from './measures.ts';

/** The media type of the text. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** How often the library looks at the lag of the event loop, in milliseconds. */
const LAG_RESOLUTION_MS = 100;

/** Of the process and not of a service: it is measured once, from when it is first asked for. */
let ofProcess: Registry | undefined;

/** Starts to measure the process. */
export function measureProcess(): void {
  if (ofProcess !== undefined) return;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
}

/** The text of all samples, metrics without any left out. */
export async function exposition(samples: readonly Sample[]): Promise<string> {
  const registry = new Registry();
  const byName = Map.groupBy(samples, ({ name }) => name);
  for (const [name, ofName] of byName) {
    const { type, help } = EXPORTED_METRICS[name];
    const described = { name, help, type, aggregator: 'sum', values: ofName.flatMap((sample) => valuesOf(sample)) };
    // A registry asks a metric for no more than this when it writes.
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
