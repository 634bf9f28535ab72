/** The time range of the figures of sales, and its bins: pure. */
import type { RequestOf } from '../api/contract.ts';
import type { Bin } from '../charts/series.ts';
import { LOCALE } from '../parts/locale.ts';

type Step = NonNullable<RequestOf<'/getSales'>['step']>;

/** A selectable length of time. */
export interface SalesRange {
  /** The value in the address: a number of days. */
  readonly id: string;
  readonly title: string;
  readonly step: Step;
  /** Number of steps, the present one included. */
  readonly steps: number;
  /** The heading of the time column in a table. */
  readonly when: string;
  /** The time that it is compared with, after "in": `the 30 days before`. */
  readonly before: string;
}

export const SALES_RANGES: readonly SalesRange[] = [
  { id: '7', title: '7 days', step: 'day', steps: 7, when: 'Day (UTC)', before: 'the 7 days before' },
  { id: '30', title: '30 days', step: 'day', steps: 30, when: 'Day (UTC)', before: 'the 30 days before' },
  { id: '90', title: '90 days', step: 'day', steps: 90, when: 'Day (UTC)', before: 'the 90 days before' },
  { id: '365', title: '1 year', step: 'week', steps: 52, when: 'Week (UTC)', before: 'the year before' },
  { id: '1095', title: '3 years', step: 'month', steps: 36, when: 'Month (UTC)', before: 'the 3 years before' },
];

const USUAL = '30';
const DAY_MS = 86_400_000;

/** The range of an address; 30 days by default. */
export function salesRangeOf(id: string): SalesRange {
  return SALES_RANGES.find((range) => range.id === id) ?? SALES_RANGES.find((range) => range.id === USUAL)!;
}

/**
 * A day in the first step of a range, as ISO 8601. It is constant for a whole day, so that it can be part of a cache
 * key.
 *
 * @param now milliseconds since 1970
 */
export function salesBeginning({ step, steps }: SalesRange, now: number): string {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (step !== 'month') return new Date(today - (steps - 1) * (step === 'week' ? 7 : 1) * DAY_MS).toISOString();
  const date = new Date(today);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (steps - 1), 1)).toISOString();
}

/**
 * The steps of a reply in words. The last one is not over.
 *
 * @param hrefOf address of the list behind a bin, by its beginning and end as ISO 8601; the end is '' for the last one
 */
export function salesBins(
  { step }: SalesRange,
  steps: readonly string[],
  hrefOf?: (since: string, until: string) => string,
): readonly Bin[] {
  const wordsOf = WORDS[step]();
  return steps.map((at, index) => {
    const isOpen = index === steps.length - 1;
    const { label, short } = wordsOf(Date.parse(at));
    return {
      ...{ id: at, label: `${label} (UTC)${isOpen ? ', so far' : ''}`, short },
      ...(hrefOf === undefined ? {} : { href: hrefOf(at, steps[index + 1] ?? '') }),
      ...(isOpen ? { isOpen } : {}),
    };
  });
}

type Words = (moment: number) => Pick<Bin, 'label' | 'short'>;

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: 'UTC' });

const WORDS: Readonly<Record<Step, () => Words>> = {
  day: () => {
    const [full, short] = [
      format({ weekday: 'long', day: 'numeric', month: 'long' }),
      format({ day: 'numeric', month: 'short' }),
    ];
    return (moment) => ({ label: full.format(moment), short: short.format(moment) });
  },
  week: () => {
    const day = format({ day: 'numeric', month: 'short' });
    return (moment) => ({ label: day.formatRange(moment, moment + 6 * DAY_MS), short: day.format(moment) });
  },
  month: () => {
    const [full, short] = [format({ month: 'long', year: 'numeric' }), format({ month: 'short', year: '2-digit' })];
    return (moment) => ({ label: full.format(moment), short: short.format(moment) });
  },
};
