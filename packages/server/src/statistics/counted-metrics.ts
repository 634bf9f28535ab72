/** The closed list of the counted metrics that can be asked for (rules 4.11.2). */
import { eventTypes } from '../events/event-types.ts';
import { DETECTED_TYPES, REPORTED_TYPES } from '../licenses/violation.ts';
import { CLIENT_PATHS, metricsOf, openedMetric } from '../observed-calls/metrics.ts';

/** The metric of each refusal of a client endpoint, after the endpoint and its code. A test compares it with them. */
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

/** All of them; figures of countries have an endpoint of their own, /getCountries. */
export const COUNTED_METRICS: readonly string[] = [
  ...CLIENT_PATHS.map((endpoint) => metricsOf(endpoint).ok),
  ...REFUSAL_METRICS,
  ...eventTypes,
  ...[...DETECTED_TYPES, ...REPORTED_TYPES].map(openedMetric),
];

/** What follows the first dot of a metric: the code of a refusal, or of a country. */
export function codeOfMetric(metric: string): string {
  return metric.slice(metric.indexOf('.') + 1);
}
