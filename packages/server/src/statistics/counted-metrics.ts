/** The closed list of counted metrics that can be queried (rules 4.11.2). */
import { eventTypes } from '../events/event-types.ts';
import { CLIENT_PATHS, metricsOf, openedMetric } from '../observed-calls/metrics.ts';
import { DETECTED_TYPES, REPORTED_TYPES } from '../violations/violation.ts';

/**
 * The metric of each refusal of a client endpoint, named by the endpoint and its code. A test compares the list with
 * the endpoints.
 */
export const REFUSAL_METRICS: readonly string[] = [
  'activate.license_not_found',
  'activate.activation_rate',
  'activate.wrong_product',
  'activate.license_revoked',
  'activate.license_expired',
  'activate.machine_limit',
  'validate.license_not_found',
  'validate.invalid_token',
  'validate.token_mismatch',
  'validate.license_revoked',
  'validate.license_expired',
  'validate.machine_not_activated',
  'verify.license_not_found',
  'verify.wrong_product',
  'verify.license_revoked',
  'verify.license_expired',
  'deactivate.license_not_found',
  'deactivate.invalid_token',
  'deactivate.token_mismatch',
  'deactivate.license_revoked',
  'deactivate.license_expired',
  'deactivate.machine_not_activated',
  'heartbeat.license_not_found',
  'heartbeat.invalid_token',
  'heartbeat.license_revoked',
  'heartbeat.license_expired',
  'heartbeat.machine_not_activated',
];

/** All metrics. The figures of countries have their own endpoint, /getCountries. */
export const COUNTED_METRICS: readonly string[] = [
  ...CLIENT_PATHS.map((endpoint) => metricsOf(endpoint).ok),
  ...REFUSAL_METRICS,
  ...eventTypes,
  ...[...DETECTED_TYPES, ...REPORTED_TYPES].map(openedMetric),
];

/** The part after the first dot of a metric: the code of a refusal, or of a country. */
export function codeOfMetric(metric: string): string {
  return metric.slice(metric.indexOf('.') + 1);
}
