/**
 * Ranges of days in the address: `7` for the last seven days, or two days as `2027-01-01..2027-01-31`, of which one may
 * be absent. Links of charts have moments in the place of days. Pure.
 */

/** Between two days; alone, no day is chosen yet. */
export const BETWEEN = '..';

/** The words of a choice of days. */
export interface DayRangeWords {
  /** The event that has the time: "Created". */
  readonly what: string;
  /** The lengths to choose, in days; fewer for a list that goes back less far. */
  readonly lengths?: readonly number[];
}

/** The choices of days; '' is any. A length of the address that is none of them becomes a choice of its own. */
export function rangeChoices(
  { what, lengths = [7, 30, 90] }: DayRangeWords,
  range = '',
): readonly { readonly value: string; readonly title: string }[] {
  const own = LENGTH.test(range) && !lengths.includes(Number(range)) ? [Number(range)] : [];
  return [
    { value: '', title: 'Any date' },
    ...[...lengths, ...own].map((days) => ({ value: String(days), title: `${what} in the last ${days} days` })),
    { value: BETWEEN, title: `${what} between two days` },
  ];
}

/** The range between two days or moments; '' is open. */
export function rangeBetween(from: string, to: string): string {
  return `${from}${BETWEEN}${to}`;
}

/** The two days of a range as date fields show them, in the reader's time zone; null for the last days. */
export function daysOf(range: string): { readonly from: string; readonly to: string } | null {
  if (!range.includes(BETWEEN)) return null;
  const [from = '', to = ''] = range.split(BETWEEN);
  return { from: dayOf(from), to: DAY.test(to) ? to : dayOf(momentBefore(to)) };
}

/** The first moment of a range, and the first after it; undefined is open. */
export interface Span {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * The moments of a range, in the reader's time zone. Unknown values are open.
 *
 * @param now milliseconds since 1970
 */
export function spanOf(range: string, now = Date.now()): Span {
  if (LENGTH.test(range)) return { since: startOf(new Date(now), -Number(range)), until: undefined };
  if (!range.includes(BETWEEN)) return { since: undefined, until: undefined };
  const [from = '', to = ''] = range.split(BETWEEN);
  return {
    since: DAY.test(from) ? startOf(new Date(`${from}T00:00`)) : momentOf(from),
    until: DAY.test(to) ? startOf(new Date(`${to}T00:00`), 1) : momentOf(to),
  };
}

/** The same with the last moment of the range, as lists by creation take it. */
export function createdSpan(range: string, now?: number) {
  const { since, until } = spanOf(range, now);
  return { createdFrom: since, createdTo: until && momentBefore(until) };
}

/** The day of a time in the reader's time zone, as a date field shows it; '' for no time. */
export function dayOf(value: string): string {
  if (DAY.test(value)) return value;
  const at = new Date(value);
  if (value === '' || Number.isNaN(at.getTime())) return '';
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

const LENGTH = /^[1-9]\d{0,3}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The beginning of a day, or of the one some days later: the same for a whole day. Undefined if it does not exist. */
function startOf(day: Date, days = 0): string | undefined {
  if (Number.isNaN(day.getTime())) return undefined;
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() + days);
  return day.toISOString();
}

function momentOf(value: string): string | undefined {
  const at = new Date(value);
  return value === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function momentBefore(at: string): string {
  const before = new Date(Date.parse(at) - 1);
  return Number.isNaN(before.getTime()) ? '' : before.toISOString();
}
