/** The data of charts and their texts: pure. */
import { countText } from '../parts/count-words.ts';
import { LOCALE } from '../parts/locale.ts';

/** The colour of a series. Tones of states mark failures; `soft` is the paler tone of a related pair. */
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
export type Tone = (typeof TONES)[number];

/** A bin on the time axis: an hour, a day, a week. */
export interface Bin {
  readonly id: string;
  /** The full label: `Tuesday 3 March`. */
  readonly label: string;
  /** The short label for an axis: `3 Mar`. */
  readonly short: string;
  /** The address of the list behind the figures of this bin. */
  readonly href?: string;
  /** Whether its time is not over, so that its figures still grow. */
  readonly isOpen?: boolean;
}

/** Figures of one kind, one per {@link Bin}. */
export interface Series {
  readonly id: string;
  /** The counted thing in plain words: `No free machine`. */
  readonly label: string;
  readonly tone: Tone;
  readonly values: readonly number[];
  /** The address of the list behind all figures. */
  readonly href?: string;
}

const shortCounts = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

/** A count for a narrow place: "12K". */
export function shortCountText(count: number): string {
  return count < 10_000 ? countText(count) : shortCounts.format(count);
}

/** The text that screen readers say for one bar: its label, and each series that is not zero. */
export function barLabel(bin: Bin, series: readonly Series[], index: number): string {
  const parts = series
    .map(({ label, values }) => ({ label, value: values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .map(({ label, value }) => `${label} ${countText(value)}`);
  return `${bin.label}: ${parts.length === 0 ? 'none' : parts.join(', ')}`;
}

/** The figure beside a series in the legend: its sum, or its highest bin where one thing may be in several bins. */
export type Totals = 'sum' | 'highest';

/** The figure of a series for the legend. */
export function figureOf({ values }: Series, totals: Totals): number {
  return totals === 'sum' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
}

/** The summary of a chart: the total where bins add up, and the highest bin. */
export function summaryOf(bins: readonly Bin[], series: readonly Series[], what: string, totals: Totals): string {
  const sums = bins.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const total = sums.reduce((sum, value) => sum + value, 0);
  const highest = Math.max(0, ...sums);
  const when = bins[sums.indexOf(highest)];
  if (total === 0 || when === undefined) return `No ${what} in this time.`;
  const most = `${countText(highest)}: ${when.label}.`;
  return totals === 'sum' ? `${countText(total)} ${what}. The most were ${most}` : `The most ${what} were ${most}`;
}
