/** The closed list of what is counted (rules 4.11.2). */
import { eventTypes } from '../events/event-types.ts';
import { DETECTED_TYPES, REPORTED_TYPES } from '../licenses/violation.ts';
import { metricsOf, OBSERVED_ENDPOINTS, openedMetric } from './metrics.ts';

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

/** Every metric that can be asked for; figures of countries have an answer of their own. */
export const METRICS: readonly string[] = [
  ...OBSERVED_ENDPOINTS.map((endpoint) => metricsOf(endpoint).ok),
  ...REFUSAL_METRICS,
  ...eventTypes,
  ...[...DETECTED_TYPES, ...REPORTED_TYPES].map(openedMetric),
];

/** Machines that were bound to a license, by country and day; followed by the country's code. */
export const ACTIVATIONS_BY_COUNTRY = 'activations.';

/** Machines that were seen for the first time of a day, by country; followed by the country's code. */
export const MACHINES_BY_COUNTRY = 'machines.';

/** The code of a refusal's metric. */
export function codeOfMetric(metric: string): string {
  return metric.slice(metric.indexOf('.') + 1);
}
