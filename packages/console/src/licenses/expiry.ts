/** The expiry of a license as a person enters it: never, after some days, or on a day. Pure. */
import { endOfDay } from '../parts/time-words.ts';

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
const MOST_DAYS = 36_500;
const DAY_MS = 86_400_000;
/** The end of the year 9999, the latest time that the service stores. */
const LATEST_MS = 253_402_300_799_999;

/**
 * The time as the service takes it; null for never, undefined while the typed values are invalid.
 *
 * @param from starting point of the days, in milliseconds since 1970
 */
export function expiryOf({ kind, days, day }: Expiry, from: number): string | null | undefined {
  if (kind === 'never') return null;
  if (kind === 'day') return /^\d{4}-\d\d-\d\d$/.test(day) ? endOfDay(day) : undefined;
  const count = Number(days);
  if (days.trim() === '' || !Number.isInteger(count) || count < 1 || count > MOST_DAYS) return undefined;
  return new Date(Math.min(from + count * DAY_MS, LATEST_MS)).toISOString();
}
