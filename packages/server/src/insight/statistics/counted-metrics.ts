/** The closed list of counted metrics that can be queried (rules 4.11.2). */
import { countedTrials } from '../../commerce/trials/counted-changes.ts';
import { clientEndpoints } from '../../licensing/client-endpoints/index.ts';
import { metering } from '../../licensing/metering/index.ts';
import { metricsOf, OBSERVED_PATHS, type ObservedPath } from '../../licensing/observed-calls/metrics.ts';
import { violations } from '../../licensing/violations/index.ts';
import { codeOf } from '../../platform/endpoint/refusals.ts';
import { eventTypes } from '../../platform/events/event-types.ts';

const endpoints = [clientEndpoints, metering]
  .flatMap(({ sections = [] }) => sections)
  .flatMap((section) => section.endpoints)
  .filter(({ path }) => (OBSERVED_PATHS as readonly string[]).includes(path));

/** The metric of each refusal of an endpoint that an app calls, named by the endpoint and its code. */
export const REFUSAL_METRICS: readonly string[] = endpoints.flatMap(({ path, refusals }) =>
  refusals.map((refused) => metricsOf(path as ObservedPath).refused(codeOf(refused))),
);

/** All metrics. The figures of countries have their own endpoint, /getCountries. */
export const COUNTED_METRICS: readonly string[] = [
  ...OBSERVED_PATHS.map((endpoint) => metricsOf(endpoint).ok),
  ...REFUSAL_METRICS,
  ...eventTypes,
  ...[...violations.counted, countedTrials].flatMap(({ names }) => names),
];

/** The part after the first dot of a metric: the code of a refusal, or of a country. */
export function codeOfMetric(metric: string): string {
  return metric.slice(metric.indexOf('.') + 1);
}
