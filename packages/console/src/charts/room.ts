/** The layout of a chart: positions of its axis and bins, in pixels. Pure. */
import { bandsOf, type CountAxis, countAxis } from './scale.ts';

/** Space for the axis labels, in pixels. */
export const MARGIN = { left: 40, right: 4, top: 10, bottom: 24 } as const;

/** The drawing area of a chart, without its margins. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly axis: CountAxis;
  /** Width of each bin. */
  readonly step: number;
  /** The middle of a bin, from the left. */
  x(index: number): number;
}

/**
 * Lays out a chart.
 *
 * @param spread `bands`: bins stand side by side; `points`: the first and the last bin are at the edges
 * @param highest the highest figure
 */
export function roomOf(
  spread: 'bands' | 'points',
  bins: number,
  highest: number,
  outer: { readonly width: number; readonly height: number },
): Room {
  const width = Math.max(0, outer.width - MARGIN.left - MARGIN.right);
  const height = outer.height - MARGIN.top - MARGIN.bottom;
  const step = spread === 'bands' ? bandsOf(bins, width).step : width / Math.max(1, bins - 1);
  const first = spread === 'bands' ? step / 2 : 0;
  return { width, height, axis: countAxis(highest, height), step, x: (index) => first + index * step };
}
