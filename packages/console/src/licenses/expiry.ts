/** When a license is to end, as somebody says it: never, in so many days, or on a day. Pure. */
import { endOfDay } from '../parts/time-words.ts';

/** What was chosen and typed. */
export interface Expiry {
  readonly kind: 'never' | 'days' | 'day';
  /** As typed. */
  readonly days: string;
  /** `2027-01-31`; '' while none is chosen. */
  readonly day: string;
}

/** Thirty days, which is what is offered first. */
export const NO_EXPIRY: Expiry = { kind: 'days', days: '30', day: '' };

/** Days that may be typed: a hundred years. */
const MOST_DAYS = 36_500;
const DAY_MS = 86_400_000;
/** The end of the year 9999, beyond which the service keeps no time. */
const LATEST_MS = 253_402_300_799_999;

/**
 * The moment as the service takes it; null for never, undefined while what was typed makes none.
 *
 * @param from what days are counted from, in milliseconds since 1970
 */
export function expiryOf({ kind, days, day }: Expiry, from: number): string | null | undefined {
  if (kind === 'never') return null;
  if (kind === 'day') return /^\d{4}-\d\d-\d\d$/.test(day) ? endOfDay(day) : undefined;
  const count = Number(days);
  if (days.trim() === '' || !Number.isInteger(count) || count < 1 || count > MOST_DAYS) return undefined;
  return new Date(Math.min(from + count * DAY_MS, LATEST_MS)).toISOString();
}
