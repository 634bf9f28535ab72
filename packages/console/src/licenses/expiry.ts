/** The expiry of a license as a person enters it: never, after some days, or on a day. Pure. */
import { lastMomentOf } from '../parts/time-words.ts';

/** The chosen kind and the typed values. */
export interface Expiry {
  readonly kind: 'never' | 'days' | 'day';
  /** As typed. */
  readonly days: string;
  /** `2027-01-31`; '' if none is chosen. */
  readonly day: string;
}

/** The first suggestion: thirty days. */
export const NO_EXPIRY: Expiry = { kind: 'days', days: '30', day: '' };

/** Maximum number of days: a hundred years. */
export const MAX_DAYS = 36_500;
const DAY_MS = 86_400_000;
/** The end of the year 9999, the latest time that the service stores. */
const LATEST_MS = 253_402_300_799_999;

/**
 * The time as the service takes it; null for never, undefined while the typed values are invalid.
 *
 * @param from starting point of the days, in milliseconds since 1970
 * @param maxDays maximum number of days
 */
export function expiryOf({ kind, days, day }: Expiry, from: number, maxDays = MAX_DAYS): string | null | undefined {
  if (kind === 'never') return null;
  if (kind === 'day') return dayEnd(day);
  const count = Number(days);
  if (days.trim() === '' || !Number.isInteger(count) || count < 1 || count > maxDays) return undefined;
  return new Date(Math.min(from + count * DAY_MS, LATEST_MS)).toISOString();
}

/** The end of a day in UTC as a date field gives it; undefined if none is chosen. */
function dayEnd(day: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? lastMomentOf(day) : undefined;
}

/** The start of an extension: the present end of the license, or now if that is past. In milliseconds since 1970. */
export function extensionStart(expiresAt: string, now: number): number {
  return Math.max(Date.parse(expiresAt), now);
}

/**
 * The end of a license after an extension; null for never. Undefined while the typed values are invalid, and if the
 * license would not last longer than it does.
 *
 * @param expiresAt its present end
 * @param now milliseconds since 1970
 * @param maxDays maximum number of days
 */
export function extendedEnd(expiresAt: string, by: Expiry, now: number, maxDays?: number): string | null | undefined {
  const end = expiryOf(by, extensionStart(expiresAt, now), maxDays);
  return typeof end === 'string' && Date.parse(end) <= Date.parse(expiresAt) ? undefined : end;
}

/**
 * The end that takes time away from a license: the end of a day before its present end. Undefined without a day, and if
 * the license ends by then anyway.
 *
 * @param expiresAt its present end; null if it has none
 */
export function earlierEnd(expiresAt: string | null, day: string): string | undefined {
  const end = dayEnd(day);
  if (end === undefined || expiresAt === null) return end;
  return Date.parse(end) < Date.parse(expiresAt) ? end : undefined;
}
