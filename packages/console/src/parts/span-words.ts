/** Spans of time in words: the one place that makes them. */
import { counted, countText, roundedText } from './count-words.ts';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** Units of time with their seconds, longest first. */
const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [1, 'second'],
];

/** The average length of a year, including leap days. */
const YEAR_SECONDS = 31_557_600;

/** A set span, exactly: "15 minutes", "90 seconds", "3 years"; a day and three hours are "27 hours". */
export function spanText(seconds: number): string {
  // Allows for the difference of leap years.
  const years = Math.floor(seconds / YEAR_SECONDS);
  if (years > 1 && seconds - years * YEAR_SECONDS < DAY) return counted(years, 'year');
  const [length, unit] = UNITS.find(([each]) => seconds % each === 0) ?? [1, 'second'];
  return counted(seconds / length, unit);
}

/** A measured span, rounded up to minutes, from two hours on to hours, and from two days on to days. */
export function roundedSpanText(seconds: number): string {
  if (seconds >= 2 * DAY) return counted(Math.ceil(seconds / DAY), 'day');
  if (seconds >= 2 * HOUR || seconds === HOUR) return counted(Math.ceil(seconds / HOUR), 'hour');
  return counted(Math.ceil(seconds / MINUTE), 'minute');
}

/** A number of days: "14 days"; the given words without a number. */
export function daysText(days: number | null, without = '–'): string {
  return days === null ? without : counted(days, 'day');
}

/** A short span, measured to the millisecond: "240 ms", "1.2 s". */
export function shortSpanText(milliseconds: number): string {
  if (milliseconds < 1000) return `${countText(milliseconds)} ms`;
  return `${roundedText(milliseconds / 1000)} s`;
}
