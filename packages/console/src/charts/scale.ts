/** The scales of charts: pure geometry, in pixels. */
import type { Series } from './series.ts';

/** The axis of counts. */
export interface CountAxis {
  /** The whole numbers with a grid line, 0 first. */
  readonly ticks: readonly number[];
  /** Distance of a count from the upper edge. */
  y(count: number): number;
}

/** An axis from 0 at the bottom to at least `highest`, on a height in pixels. It always reaches at least 1. */
export function countAxis(highest: number, height: number): CountAxis {
  const most = Math.max(1, highest);
  const wanted = height < 120 ? 2 : 4;
  const first = roundStep(most / wanted);
  // The axis ends at a whole step above the highest figure. That may lengthen it enough to need a wider step.
  const step = roundStep((Math.ceil(most / first) * first) / wanted);
  const lines = Math.ceil(most / step);
  return {
    ticks: Array.from({ length: lines + 1 }, (_, line) => line * step),
    y: (count) => height * (1 - count / (lines * step)),
  };
}

/** The nearest round step: 1, 2, 5, 10, 20, 50 and so on. */
function roundStep(step: number): number {
  const ten = 10 ** Math.floor(Math.log10(step));
  // The boundaries are geometric means, which keeps the number of lines even.
  const times = step / ten >= Math.sqrt(50) ? 10 : step / ten >= Math.sqrt(10) ? 5 : step / ten >= Math.SQRT2 ? 2 : 1;
  return Math.max(1, times * ten);
}

/** A layer of a stacked bar: beginning and end, in counts. */
export interface Layer {
  readonly series: Series;
  readonly from: number;
  readonly to: number;
}

/** The layers of one bar from the bottom up, without zero values. */
export function layersOf(series: readonly Series[], index: number): readonly Layer[] {
  const layers: Layer[] = [];
  let from = 0;
  for (const each of series) {
    const value = each.values[index] ?? 0;
    if (value <= 0) continue;
    layers.push({ series: each, from, to: from + value });
    from += value;
  }
  return layers;
}

/** The height of the highest bar, in counts. */
export function highestStack(series: readonly Series[], bins: number): number {
  let highest = 0;
  for (let index = 0; index < bins; index++)
    highest = Math.max(
      highest,
      series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    );
  return highest;
}

/**
 * The distance between the beginnings of neighbouring bars, and the width of a bar. Many bars have the smallest gap.
 */
export function bandsOf(bins: number, width: number): { readonly step: number; readonly bar: number } {
  const step = width / Math.max(1, bins);
  const gap = Math.min(12, Math.max(1, step * 0.28));
  return { step, bar: Math.max(1, step - gap) };
}

/**
 * The bins that show their label. Labels are at least `apart` pixels from each other, and no label repeats its
 * neighbour. Counts from the last bin, because it is the present.
 *
 * @param labels of all bins
 */
export function labelledBins(labels: readonly string[], width: number, apart: number): readonly number[] {
  const bins = labels.length;
  if (bins === 0) return [];
  const every = Math.max(1, Math.ceil(apart / (width / bins)));
  const labelled: number[] = [];
  for (let index = bins - 1; index >= 0; index -= every) labelled.unshift(index);
  return labelled.filter((index, place) => place === 0 || labels[index] !== labels[labelled[place - 1] ?? 0]);
}

/** The bin that a key moves to; the same bin if the key does not move. */
export function binAfterKey(key: string, index: number, bins: number): number {
  switch (key) {
    case 'ArrowRight':
      return Math.min(bins - 1, index + 1);
    case 'ArrowLeft':
      return Math.max(0, index - 1);
    case 'Home':
      return 0;
    case 'End':
      return bins - 1;
    default:
      return index;
  }
}
