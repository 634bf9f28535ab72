/** Where figures are on a chart: pure geometry, in pixels. */
import type { Series } from './series.ts';

/** The axis of counts. */
export interface CountAxis {
  /** Whole numbers at which lines are drawn, 0 first. */
  readonly ticks: readonly number[];
  /** How far below the upper edge a count is. */
  y(count: number): number;
}

/** An axis from 0 at the bottom to at least `highest`, on a height in pixels. It always has room for one. */
export function countAxis(highest: number, height: number): CountAxis {
  const most = Math.max(1, highest);
  const wanted = height < 120 ? 2 : 4;
  const first = roundStep(most / wanted);
  // The axis ends at a whole step above the highest figure, and may by that be long enough for a wider one.
  const step = roundStep((Math.ceil(most / first) * first) / wanted);
  const lines = Math.ceil(most / step);
  return {
    ticks: Array.from({ length: lines + 1 }, (_, line) => line * step),
    y: (count) => height * (1 - count / (lines * step)),
  };
}

/** The whole number nearest to a step that people count in: 1, 2, 5, 10, 20, 50 and so on. */
function roundStep(step: number): number {
  const ten = 10 ** Math.floor(Math.log10(step));
  // Halfway between two of them as ratios go, so that neither many nor few lines come of it.
  const times = step / ten >= Math.sqrt(50) ? 10 : step / ten >= Math.sqrt(10) ? 5 : step / ten >= Math.SQRT2 ? 2 : 1;
  return Math.max(1, times * ten);
}

/** A part of a bar: where it begins and ends, in counts. */
export interface Layer {
  readonly series: Series;
  readonly from: number;
  readonly to: number;
}

/** The parts of one bar from the bottom up; kinds of which there is none are left out. */
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

/** The highest bar of all. */
export function highestStack(series: readonly Series[], bins: number): number {
  let highest = 0;
  for (let index = 0; index < bins; index++)
    highest = Math.max(
      highest,
      series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    );
  return highest;
}

/** Where bars stand: how far apart they begin, and how wide each is. Bars that are many have the least gap between them. */
export function bandsOf(bins: number, width: number): { readonly step: number; readonly bar: number } {
  const step = width / Math.max(1, bins);
  const gap = Math.min(12, Math.max(1, step * 0.28));
  return { step, bar: Math.max(1, step - gap) };
}

/**
 * Which places of an axis show their label, so that labels are at least so far apart and none stands twice in a row. They
 * are counted from the last one, because it is now.
 *
 * @param labels of all places
 */
export function labelledBins(labels: readonly string[], width: number, apart: number): readonly number[] {
  const bins = labels.length;
  if (bins === 0) return [];
  const every = Math.max(1, Math.ceil(apart / (width / bins)));
  const labelled: number[] = [];
  for (let index = bins - 1; index >= 0; index -= every) labelled.unshift(index);
  return labelled.filter((index, place) => place === 0 || labels[index] !== labels[labelled[place - 1] ?? 0]);
}

/** The place that an arrow key leads to from another; the same where it leads nowhere. */
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
