/** The figures of the charts, read in a few calls, because a reply holds at most 5,000 points. */
import { useEffect, useRef } from 'react';
import type { Metric } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import type { Refusal } from '../api/refusal.ts';
import { barValues, beginningOf, type Range } from './range.ts';
import { REFUSAL_METRICS } from './refusal-groups.ts';

/** Successful calls of apps. */
export const CHECKS = ['verify.ok', 'validate.ok'] as const satisfies readonly Metric[];

/** All metrics of the charts. */
export const METRICS: readonly Metric[] = ['activation.created', ...CHECKS, ...REFUSAL_METRICS];
/** Metrics per call: a year of days makes 4,732 points. */
export const AT_ONCE = 13;

/** The figures of a range. */
export interface Traffic {
  readonly range: Range;
  /** The beginning of the first bar, ISO 8601. */
  readonly from: string;
  /** The figures of a metric, one per bar. */
  readonly valuesOf: (metric: Metric) => readonly number[];
}

/** The state of the read. */
export interface TrafficRead {
  /** Undefined until all figures have loaded; the previous figures while others load. */
  readonly traffic: Traffic | undefined;
  /** Whether these are the figures of the previous request. */
  readonly isFormer: boolean;
  readonly error: Refusal | null;
  readonly retry: () => void;
}

/** Reads the figures of a range once a minute. @param now milliseconds since 1970 */
export function useTraffic(range: Range, productId: string, now: number): TrafficRead {
  const from = beginningOf(range, now);
  const request = { step: range.step, from, ...(productId === '' ? {} : { productId }) };
  const options = { everySeconds: 60, keepPrevious: false, later: true };
  const reads = [
    useRead('/getStatistics', { ...request, metrics: METRICS.slice(0, AT_ONCE) }, options),
    useRead('/getStatistics', { ...request, metrics: METRICS.slice(AT_ONCE, 2 * AT_ONCE) }, options),
    useRead('/getStatistics', { ...request, metrics: METRICS.slice(2 * AT_ONCE, 3 * AT_ONCE) }, options),
    useRead('/getStatistics', { ...request, metrics: METRICS.slice(3 * AT_ONCE) }, options),
  ];
  const series = new Map<string, readonly number[]>();
  for (const { data } of reads)
    for (const { metric, points } of data?.series ?? [])
      series.set(
        metric,
        points.map(({ value }) => value),
      );
  const isWhole = reads.every(({ data }) => data !== undefined);
  const former = useRef<Traffic | undefined>(undefined);
  const current: Traffic | undefined = isWhole
    ? { range, from, valuesOf: (metric) => barValues(range, series.get(metric) ?? []) }
    : undefined;
  useEffect(() => {
    if (current !== undefined) former.current = current;
  });
  return {
    traffic: current ?? former.current,
    isFormer: current === undefined,
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const read of reads) void read.refetch();
    },
  };
}
