/** The time range of the charts, and its bins: pure. */
import type { Bin } from '../charts/series.ts';
import { LOCALE } from '../parts/locale.ts';

/** A selectable length of time. */
export interface Range {
  /** The value in the address: a number of days. */
  readonly id: string;
  readonly title: string;
  readonly days: number;
  /** The unit in which the service counts. */
  readonly step: 'hour' | 'day';
  /** Number of steps in the chart. */
  readonly steps: number;
  /** Number of steps per bar. */
  readonly join: number;
  /** The heading of the time column in a table. */
  readonly when: string;
}

export const RANGES: readonly Range[] = [
  { id: '1', title: '24 h', days: 1, step: 'hour', steps: 24, join: 1, when: 'Hour' },
  { id: '7', title: '7 days', days: 7, step: 'hour', steps: 168, join: 6, when: 'Hours' },
  { id: '30', title: '30 days', days: 30, step: 'day', steps: 30, join: 1, when: 'Day (UTC)' },
  { id: '90', title: '90 days', days: 90, step: 'day', steps: 90, join: 1, when: 'Day (UTC)' },
  { id: '365', title: '1 year', days: 365, step: 'day', steps: 364, join: 7, when: 'Week (UTC)' },
];

const USUAL = '30';
const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** The range of an address; 30 days by default. */
export function rangeOf(id: string): Range {
  const found = RANGES.find((range) => range.id === id) ?? RANGES.find((range) => range.id === USUAL);
  if (found === undefined) throw new Error('the usual range is none of the ranges');
  return found;
}

/**
 * The beginning of the first step of a range, as ISO 8601. It is constant for a whole step, so that it can be part of a
 * cache key.
 *
 * @param now milliseconds since 1970
 */
export function beginningOf({ step, steps }: Range, now: number): string {
  const current = Math.floor(now / STEP_MS[step]) * STEP_MS[step];
  return new Date(current - (steps - 1) * STEP_MS[step]).toISOString();
}

/**
 * The beginning and end of each bar. The newest bar is complete; the oldest is shorter if the steps do not divide
 * evenly.
 */
export function barsOf(range: Range, from: string): readonly { readonly from: number; readonly until: number }[] {
  const length = STEP_MS[range.step];
  const first = Date.parse(from);
  return joined(
    range,
    Array.from({ length: range.steps }, (_, index) => first + index * length),
  ).map((steps) => ({
    from: steps[0] ?? first,
    until: (steps.at(-1) ?? first) + length,
  }));
}

/** The figures per bar, summed from the figures per step. Missing steps count as 0. */
export function barValues(range: Range, values: readonly number[]): readonly number[] {
  return stepsOf(range, values).map((own) => own.reduce((sum, value) => sum + value, 0));
}

/** The highest figure per bar. Sums would count a machine once for each day. Missing steps count as 0. */
export function barPeaks(range: Range, values: readonly number[]): readonly number[] {
  return stepsOf(range, values).map((own) => Math.max(...own));
}

/** The range in whole days, for figures that are counted by day. */
export function daily(range: Range): Range {
  return range.step === 'day' ? range : { ...rangeOf(USUAL), steps: range.days, days: range.days };
}

function stepsOf(range: Range, values: readonly number[]): readonly (readonly number[])[] {
  return joined(
    range,
    Array.from({ length: range.steps }, (_, index) => values[index] ?? 0),
  );
}

/** Groups entries, counting from the end. */
function joined<Entry>({ join }: Range, entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups: Entry[][] = [];
  for (let end = entries.length; end > 0; end -= join) groups.unshift(entries.slice(Math.max(0, end - join), end));
  return groups;
}

/**
 * The bins in words. Hours are in the reader's time zone; days are UTC, as the service counts them.
 *
 * @param hrefOf address of the list behind a bin, by its beginning and end as ISO 8601
 */
export function binsOf(range: Range, from: string, hrefOf?: (since: string, until: string) => string): readonly Bin[] {
  const words = wordsOf(range);
  // A range ends with the present step.
  const last = barsOf(range, from).length - 1;
  return barsOf(range, from).map((bar, index) => {
    const since = new Date(bar.from).toISOString();
    const until = new Date(bar.until).toISOString();
    const { label, short } = words(bar);
    return {
      ...{ id: since, label: index === last ? `${label}, so far` : label, short },
      ...(hrefOf === undefined ? {} : { href: hrefOf(since, until) }),
      ...(index === last ? { isOpen: true } : {}),
    };
  });
}

type Words = (bar: { readonly from: number; readonly until: number }) => Pick<Bin, 'label' | 'short'>;

function wordsOf(range: Range): Words {
  if (range.step === 'hour') {
    const full = new Intl.DateTimeFormat(LOCALE, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    });
    const short = new Intl.DateTimeFormat(
      LOCALE,
      range.days === 1 ? { hour: 'numeric', minute: '2-digit' } : { weekday: 'short', day: 'numeric' },
    );
    return (bar) => ({ label: full.formatRange(bar.from, bar.until), short: short.format(bar.from) });
  }
  const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  if (range.join > 1) {
    return ({ from, until }) => ({
      label: `${day.formatRange(from, until - STEP_MS.day)} (UTC)`,
      short: day.format(from),
    });
  }
  const full = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return ({ from }) => ({ label: `${full.format(from)} (UTC)`, short: day.format(from) });
}
