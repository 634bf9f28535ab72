/**
 * The names of what is counted (rules 10.9), as counting needs them; types of events count under their own names. The
 * closed list of those that can be asked for is in statistics/counted-metrics.ts, which knows all types.
 */
import type { PublishedCode } from '../refusals.ts';

/** The client endpoints, as metrics and kept refusals name them. */
export const OBSERVED_ENDPOINTS = ['/verify', '/validate', '/heartbeat', '/activate', '/deactivate'] as const;
export type ObservedEndpoint = (typeof OBSERVED_ENDPOINTS)[number];

/** The metrics of one client endpoint: texts that are made once, since one of them is asked for with every call. */
export interface EndpointMetrics {
  readonly endpoint: ObservedEndpoint;
  /** Successes, such as `verify.ok`. */
  readonly ok: string;
  /** Refusals by their code, such as `verify.license_revoked`. */
  refused(code: PublishedCode): string;
}

/** The metrics of a client endpoint. */
export function metricsOf(endpoint: ObservedEndpoint): EndpointMetrics {
  const name = endpoint.slice(1);
  const refused = new Map<PublishedCode, string>();
  return {
    endpoint,
    ok: `${name}.ok`,
    refused(code) {
      let metric = refused.get(code);
      if (metric === undefined) {
        metric = `${name}.${code}`;
        refused.set(code, metric);
      }
      return metric;
    },
  };
}

/** Violations that were opened, by their type. */
export function openedMetric(violationType: string): string {
  return `violation.opened.${violationType}`;
}

/**
 * What is counted by country, and by the day alone: machines newly bound there, and machines seen there that had not been
 * seen on that UTC day.
 */
export type CountryFigure = 'activations' | 'machines';

/** The metric of a figure and a country; with no country, the beginning of the metrics of all of them. */
export function countryMetric(figure: CountryFigure, country: string): string {
  return `${figure}.${country}`;
}

const BY_COUNTRY = /^(activations|machines)\.[A-Z]{2}$/;

/** Whether a metric is counted by the day alone. */
export function isDailyAlone(metric: string): boolean {
  return BY_COUNTRY.test(metric);
}
