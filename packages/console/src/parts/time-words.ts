/** Times in words, as people say them. */

/** Units by their seconds, and from how many seconds on they are used: 41 days say more than a month. */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number])[] = [
  ['year', 31_557_600, 63_115_200],
  ['month', 2_629_800, 7_776_000],
  ['day', 86_400, 86_400],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
];

/**
 * How long ago or in how long, as "3 minutes ago" or "in 12 days".
 *
 * @param at ISO 8601
 * @param now milliseconds since 1970
 * @param locale the reader's own unless given
 */
export function relativeTime(at: string, now: number, locale?: string): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(seconds) >= from) ?? ['second', 0];
  if (length === 0) return seconds > 0 ? 'in a moment' : 'just now';
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return format.format(Math.trunc(seconds / length), unit);
}

/** A day as "3 May 2027", in the reader's locale and zone. */
export function dayText(at: string, locale?: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(new Date(at));
}

/** The exact time in the reader's zone and in UTC, for whoever compares it with a log. */
export function exactTime(at: string, locale?: string): string {
  const here = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
  return `${here} (${at})`;
}

/**
 * Whole days between now and then, rounded down; negative when it is past.
 *
 * @param now milliseconds since 1970
 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / 86_400_000);
}

/** The end of a day in the reader's zone as the service writes times; `day` is as a date field gives it. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
