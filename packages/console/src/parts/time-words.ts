/** Times in everyday words. */

/**
 * Units with their length, and the number of seconds from which each is used: 41 days are more precise than a month.
 */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number])[] = [
  ['year', 31_557_600, 63_115_200],
  ['month', 2_629_800, 7_776_000],
  ['day', 86_400, 86_400],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
];

/**
 * A relative time, as "3 minutes ago" or "in 12 days".
 *
 * @param at ISO 8601
 * @param now milliseconds since 1970
 * @param locale the reader's own by default
 */
export function relativeTime(at: string, now: number, locale?: string): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(seconds) >= from) ?? ['second', 0];
  if (length === 0) return seconds > 0 ? 'in a moment' : 'just now';
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return format.format(Math.trunc(seconds / length), unit);
}

/** A day as "3 May 2027", in the reader's locale and time zone. */
export function dayText(at: string, locale?: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(new Date(at));
}

/** The exact time in the reader's time zone and in UTC, for comparison with a log. */
export function exactTime(at: string, locale?: string): string {
  const here = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
  return `${here} (${at})`;
}

/**
 * Whole days from now until a time, rounded down; negative if the time is past.
 *
 * @param now milliseconds since 1970
 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / 86_400_000);
}

/** The end of a day in the reader's time zone, as the service writes times; `day` has the form of a date field. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
