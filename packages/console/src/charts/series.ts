/** What charts are made of, and what is said of it in words: pure. */
import { countText } from '../parts/count-words.ts';

/** The colour of a series. Those of states are for what went wrong; `soft` is the paler of two that belong together. */
export const TONES = [
  'accent',
  'accent-soft',
  'neutral',
  'neutral-soft',
  'warn',
  'warn-soft',
  'danger',
  'danger-soft',
] as const;
/** One of {@link TONES}. */
export type Tone = (typeof TONES)[number];

/** A place on the axis of time: an hour, a day, a week. */
export interface Bin {
  readonly id: string;
  /** Said in full: `Tuesday 3 March`. */
  readonly label: string;
  /** As short as an axis needs it: `3 Mar`. */
  readonly short: string;
  /** Where the list behind the figures of this place is. */
  readonly href?: string;
}

/** Figures of one kind, one for each {@link Bin}. */
export interface Series {
  readonly id: string;
  /** What is counted, as a person says it: `No free machine`. */
  readonly label: string;
  readonly tone: Tone;
  readonly values: readonly number[];
  /** Where the list behind all of them is. */
  readonly href?: string;
}

const shortCounts = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** A count for a narrow place: `12K`. */
export function shortCountText(count: number): string {
  return count < 10_000 ? countText(count) : shortCounts.format(count);
}

/** All figures of a series, added up. */
export function totalOf(series: Series): number {
  return series.values.reduce((sum, value) => sum + value, 0);
}

/** What is read out for one bar: its place, and each kind of which there is any. */
export function barLabel(bin: Bin, series: readonly Series[], index: number): string {
  const parts = series
    .map(({ label, values }) => ({ label, value: values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ label, value }) => `${label} ${countText(value)}`);
  return `${bin.label}: ${parts.length === 0 ? 'none' : parts.join(', ')}`;
}

/** What is said of a whole chart: the total, and where it was highest. */
export function summaryOf(bins: readonly Bin[], series: readonly Series[], what: string): string {
  const sums = bins.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const total = sums.reduce((sum, value) => sum + value, 0);
  const highest = Math.max(0, ...sums);
  const when = bins[sums.indexOf(highest)];
  if (total === 0 || when === undefined) return `No ${what} in this time.`;
  return `${countText(total)} ${what}. The most were ${countText(highest)}: ${when.label}.`;
}
