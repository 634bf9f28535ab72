/**
 * The names of what is counted (rules 10.9), as counting needs them; types of events count under their own names. The
 * closed list of those that can be asked for is in statistics/counted-metrics.ts, which knows all types.
 */
import type { PublishedCode } from '../refusals.ts';

/** The client endpoints, in the order in which an app calls them. */
export const CLIENT_PATHS = ['/verify', '/activate', '/validate', '/heartbeat', '/deactivate'] as const;
/** One of {@link CLIENT_PATHS}. */
export type ClientPath = (typeof CLIENT_PATHS)[number];

/** The metrics of one client endpoint: texts that are made once, since one of them is asked for with every call. */
export interface EndpointMetrics {
  readonly endpoint: ClientPath;
  /** Successes, such as `verify.ok`. */
  readonly ok: string;
  /** Refusals by their code, such as `verify.license_revoked`. */
  refused(code: PublishedCode): string;
}

/** The metrics of a client endpoint. */
export function metricsOf(endpoint: ClientPath): EndpointMetrics {
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
