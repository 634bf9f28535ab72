/** Times in everyday words, in the reader's time zone. Exact times name the zone. */
import { LOCALE } from './locale.ts';

const DAY_MS = 86_400_000;

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
 * A relative time, as "3 minutes ago" or "in 12 days". A day is a span of 24 hours here, so it is "1 day ago": the
 * calendar's yesterday may be another day.
 *
 * @param at ISO 8601
 * @param now milliseconds since 1970
 */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const [unit, length] = UNITS.find(([, , from]) => Math.abs(seconds) >= from) ?? ['second', 0];
  if (length === 0) return seconds > 0 ? 'in a moment' : 'just now';
  return AGES.format(Math.trunc(seconds / length), unit);
}

/** The same for a time that cannot lie ahead: the clocks of the page and of its reads may differ by a moment. */
export function pastTime(at: string, now: number): string {
  return relativeTime(at, Math.max(now, Date.parse(at)));
}

/** A day as "3 May 2027". The last moment of a day in UTC ends that day for every reader; see {@link lastMomentOf}. */
export function dayText(at: string, timeZone?: string): string {
  return formatted(at, { dateStyle: 'medium', timeZone: endsDay(at) ? 'UTC' : timeZone });
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };

/** A time within a sentence: "3 May 2027, 14:05 CEST". */
export function momentText(at: string, timeZone?: string): string {
  return formatted(at, { ...DAY, ...CLOCK, timeZoneName: 'short', timeZone });
}

/** The time of day beside a day: "14:05". */
export function clockText(at: string): string {
  return formatted(at, { timeStyle: 'short' });
}

/** A whole day as a heading: "Monday 3 May 2027". */
export function longDayText(at: Date): string {
  return formatted(at, { dateStyle: 'full' });
}

/**
 * A past time after "since": the time of day, the day of the week, or the date. Nearly seven days ago, the day of the
 * week may be today's.
 *
 * @param now milliseconds since 1970
 */
export function sinceText(at: string, now: number, timeZone?: string): string {
  const age = now - Date.parse(at);
  if (age < DAY_MS) return formatted(at, { ...CLOCK, timeZoneName: 'short', timeZone });
  return age < 6 * DAY_MS ? formatted(at, { weekday: 'long', timeZone }) : dayText(at, timeZone);
}

// A list formats 250 times. Making a format takes 0.13 ms, using it 0.003 ms.
const AGES = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always' });
const formats = new Map<string, Intl.DateTimeFormat>();

function formatted(at: string | Date, options: Intl.DateTimeFormatOptions): string {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? new Intl.DateTimeFormat(LOCALE, options);
  formats.set(name, format);
  return format.format(new Date(at));
}

/** The exact time in the reader's time zone and in UTC, for comparison with a log. */
export function exactTime(at: string): string {
  return `${formatted(at, { ...DAY, ...CLOCK, second: '2-digit', timeZoneName: 'short' })} (${at})`;
}

/**
 * Whole days from now until a time, rounded down; negative if the time is past.
 *
 * @param now milliseconds since 1970
 */
export function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS);
}

const LAST_MOMENT = 'T23:59:59.999Z';

/** The end of a license or code that lasts through a day: in UTC, as the service reads a day without a time. */
export function lastMomentOf(day: string): string {
  return `${day}${LAST_MOMENT}`;
}

/** Whether a time is the last moment of a day in UTC. */
export function endsDay(at: string): boolean {
  return at.endsWith(LAST_MOMENT);
}

/** The end of a day in the reader's time zone, as filters take it; `day` has the form of a date field. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
