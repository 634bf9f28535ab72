/** The clock. Nothing else in the service reads the time; rules receive it as the argument `now`. */
import { eventLoopUtilization } from 'node:perf_hooks';

/** Milliseconds since 1970, UTC. Tests pass a clock that they move. */
export type Clock = () => number;

/** The machine's clock. */
export const systemClock: Clock = () => Date.now();

/**
 * A clock whose time is in shared memory, in milliseconds since 1970, so that threads follow it: for tests, which move
 * it.
 */
export function clockIn(memory: SharedArrayBuffer): Clock {
  const time = new BigInt64Array(memory);
  return () => Number(Atomics.load(time, 0));
}

/** Milliseconds since some moment, for measuring lengths of time: nobody can set it back. */
export const elapsedMs = (): number => performance.now();

/** Milliseconds that the event loop of this thread has worked, and not waited for events, since some moment. */
export const workedMs = (): number => eventLoopUtilization().active;

const MOMENTS_KEPT = 256;
const moments = new Map<number, string>();

/** The first and the last moment whose text has 24 characters: the years 0 to 9999. */
const EARLIEST_MS = -62_167_219_200_000;
export const LATEST_MS = 253_402_300_799_999;

/** Whether a moment, in milliseconds, has a text of 24 characters. */
export function hasTimestamp(milliseconds: number): boolean {
  return milliseconds >= EARLIEST_MS && milliseconds <= LATEST_MS;
}

/**
 * Formats a moment as the 24-character text that is stored and sent: `2026-01-31T09:30:00.000Z`. A moment after the
 * year 9999 becomes the last moment of that year, because a later text begins with `+` and sorts before all others.
 * Calls that are decided together ask for the same few moments repeatedly, so the latest results are kept.
 */
export function toTimestamp(milliseconds: number): string {
  let text = moments.get(milliseconds);
  if (text === undefined) {
    text = new Date(Math.max(EARLIEST_MS, Math.min(milliseconds, LATEST_MS))).toISOString();
    if (moments.size >= MOMENTS_KEPT) moments.clear();
    moments.set(milliseconds, text);
  }
  return text;
}

/** The reverse of {@link toTimestamp}. */
export function fromTimestamp(timestamp: string): number {
  return Date.parse(timestamp);
}

/**
 * The form of a moment: ISO 8601 to the day, minute, second or a part of one, with or without an offset. Databases and
 * PHP write a space for the T, and offsets without their colon or minutes.
 */
export const MOMENT_FORM = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?( ?(Z|[+-]\d{2}(:?\d{2})?))?)?$/;

/** The number of characters of a day without a time. */
const DAY_LENGTH = 10;

/**
 * Converts text of {@link MOMENT_FORM} to a stored timestamp; text without an offset is UTC, and a day without a time
 * is its first moment. Null for other text, and for a day or an hour that does not exist.
 */
export function momentOf(text: string): string | null {
  if (!MOMENT_FORM.test(text)) return null;
  const date = text.slice(0, DAY_LENGTH);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || toTimestamp(midnight).slice(0, DAY_LENGTH) !== date) return null;
  if (text.length === DAY_LENGTH) return toTimestamp(midnight);
  const [, time, offset] = /^(.*?) ?(Z|[+-][\d:]+)?$/.exec(text.slice(DAY_LENGTH + 1))!;
  const milliseconds = Date.parse(`${date}T${time}${offsetOf(offset)}`);
  return hasTimestamp(milliseconds) ? toTimestamp(milliseconds) : null;
}

/** An offset as ISO 8601 writes it: `+0200` and `+02` are `+02:00`, and none is UTC. */
function offsetOf(given = 'Z'): string {
  if (given === 'Z') return given;
  const digits = given.replace(':', '').padEnd(5, '0');
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** As {@link momentOf}, for an end: a day without a time is its last moment in UTC, so that the day is included. */
export function endOf(text: string): string | null {
  const moment = momentOf(text);
  return moment === null || text.length !== DAY_LENGTH ? moment : toTimestamp(fromTimestamp(moment) + DAY_MS - 1);
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The timestamp of `days` after a moment. */
export function daysAfter(milliseconds: number, days: number): string {
  return toTimestamp(milliseconds + days * DAY_MS);
}
