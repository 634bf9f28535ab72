/** The closed list of counted metrics that can be queried (rules 4.11.2). */
import { countedTrials } from '../../commerce/trials/counted-changes.ts';
import { clientEndpoints } from '../../licensing/client-endpoints/index.ts';
import { CLIENT_PATHS, type ClientPath, metricsOf } from '../../licensing/observed-calls/metrics.ts';
import { violations } from '../../licensing/violations/index.ts';
import { codeOf } from '../../platform/endpoint/refusals.ts';
import { eventTypes } from '../../platform/events/event-types.ts';

const endpoints = (clientEndpoints.sections ?? []).flatMap((section) => section.endpoints);

/** The metric of each refusal of a client endpoint, named by the endpoint and its code. */
export const REFUSAL_METRICS: readonly string[] = endpoints.flatMap(({ path, refusals }) =>
  refusals.map((refused) => metricsOf(path as ClientPath).refused(codeOf(refused))),
);

/** All metrics. The figures of countries have their own endpoint, /getCountries. */
export const COUNTED_METRICS: readonly string[] = [
  ...CLIENT_PATHS.map((endpoint) => metricsOf(endpoint).ok),
  ...REFUSAL_METRICS,
  ...eventTypes,
  ...[...violations.counted, countedTrials].flatMap(({ names }) => names),
];

/** The part after the first dot of a metric: the code of a refusal, or of a country. */
export function codeOfMetric(metric: string): string {
  return metric.slice(metric.indexOf('.') + 1);
}
