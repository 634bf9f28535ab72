/** The time that charts show, and its places on their axis: pure. */
import type { Bin } from '../charts/series.ts';

/** A length of time that can be chosen. */
export interface Range {
  /** As it stands in the address: days. */
  readonly id: string;
  readonly title: string;
  readonly days: number;
  /** What the service counts by. */
  readonly step: 'hour' | 'day';
  /** Steps of the chart. */
  readonly steps: number;
  /** How many of them make one bar. */
  readonly join: number;
  /** What the column of times is called in a table. */
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

/** The range of an address; 30 days unless it names one. */
export function rangeOf(id: string): Range {
  const found = RANGES.find((range) => range.id === id) ?? RANGES.find((range) => range.id === USUAL);
  if (found === undefined) throw new Error('the usual range is none of the ranges');
  return found;
}

/**
 * When the first step of a range begins, as ISO 8601. It stays the same for a whole step, so that it names what is kept.
 *
 * @param now milliseconds since 1970
 */
export function beginningOf({ step, steps }: Range, now: number): string {
  const current = Math.floor(now / STEP_MS[step]) * STEP_MS[step];
  return new Date(current - (steps - 1) * STEP_MS[step]).toISOString();
}

/** The bars of a range: from when, until when. The newest is whole; where steps do not divide evenly the oldest is shorter. */
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

/** Figures of steps added up to those of bars. Steps that have not been told are 0. */
export function barValues(range: Range, values: readonly number[]): readonly number[] {
  const steps = Array.from({ length: range.steps }, (_, index) => values[index] ?? 0);
  return joined(range, steps).map((own) => own.reduce((sum, value) => sum + value, 0));
}

/** Entries in groups of so many, counted from the end. */
function joined<Entry>({ join }: Range, entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const groups: Entry[][] = [];
  for (let end = entries.length; end > 0; end -= join) groups.unshift(entries.slice(Math.max(0, end - join), end));
  return groups;
}

/**
 * The places on the axis, in words. Hours are told in the reader's zone; days are those of UTC, as the service counts them.
 *
 * @param hrefOf where the list behind a place is, by its beginning and end as ISO 8601
 * @param locale the reader's own unless given
 */
export function binsOf(
  range: Range,
  from: string,
  hrefOf?: (since: string, until: string) => string,
  locale?: string,
): readonly Bin[] {
  const words = wordsOf(range, locale);
  return barsOf(range, from).map((bar) => {
    const since = new Date(bar.from).toISOString();
    const until = new Date(bar.until).toISOString();
    return { id: since, ...words(bar), ...(hrefOf === undefined ? {} : { href: hrefOf(since, until) }) };
  });
}

type Words = (bar: { readonly from: number; readonly until: number }) => Pick<Bin, 'label' | 'short'>;

function wordsOf(range: Range, locale: string | undefined): Words {
  if (range.step === 'hour') {
    const full = new Intl.DateTimeFormat(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    });
    const short = new Intl.DateTimeFormat(
      locale,
      range.days === 1 ? { hour: 'numeric', minute: '2-digit' } : { weekday: 'short', day: 'numeric' },
    );
    return (bar) => ({ label: full.formatRange(bar.from, bar.until), short: short.format(bar.from) });
  }
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  if (range.join > 1) {
    return ({ from, until }) => ({ label: day.formatRange(from, until - STEP_MS.day), short: day.format(from) });
  }
  const full = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return ({ from }) => ({ label: full.format(from), short: day.format(from) });
}
