/**
 * The metric names for counting (rules 10.9); event types count under their own names, and a slice may count more of
 * its changes (`Slice.counted`). The closed list of metrics that can be queried is in
 * insight/statistics/counted-metrics.ts.
 */
import type { PublishedCode } from '../../platform/endpoint/refusals.ts';

/** The client endpoints, in the order in which an app calls them. */
export const CLIENT_PATHS = ['/verify', '/activate', '/validate', '/heartbeat', '/deactivate'] as const;
/** One of {@link CLIENT_PATHS}. */
export type ClientPath = (typeof CLIENT_PATHS)[number];

/** The endpoints whose calls are counted and whose refusals are kept. */
export const OBSERVED_PATHS = [...CLIENT_PATHS, '/consume'] as const;
/** One of {@link OBSERVED_PATHS}. */
export type ObservedPath = (typeof OBSERVED_PATHS)[number];

/** The metric names of one endpoint. They are built once, because every call needs one. */
export interface EndpointMetrics {
  readonly endpoint: ObservedPath;
  /** Successes, for example `verify.ok`. */
  readonly ok: string;
  /** Refusals by code, for example `verify.license_revoked`. */
  refused(code: PublishedCode): string;
}

/** The metrics of an endpoint that an app calls. */
export function metricsOf(endpoint: ObservedPath): EndpointMetrics {
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

/**
 * Figures counted by country, and by day only: machines newly bound there, and machines first seen there on a UTC day.
 */
export type CountryFigure = 'activations' | 'machines';

/** The metric of a figure and a country; with an empty country, the common prefix of the figure's metrics. */
export function countryMetric(figure: CountryFigure, country: string): string {
  return `${figure}.${country}`;
}

const BY_COUNTRY = /^(activations|machines)\.[A-Z]{2}$/;

/** True if a metric is counted by day only. */
export function isDailyAlone(metric: string): boolean {
  return BY_COUNTRY.test(metric);
}
