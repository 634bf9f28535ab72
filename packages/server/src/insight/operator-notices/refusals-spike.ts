/**
 * Pure rule: whether apps are refused far more often than usual (rules 13.10). An hour has a spike if at least 50 calls
 * were refused in it, and at least five times as many as usual. Usual is the median of the same hour of the 13 days
 * before: as long as statistics by the hour are kept.
 */
import { DAY_MS, HOUR_MS } from '../../ground/base/clock.ts';

const DAYS_COMPARED = 13;
/** So that three refusals alarm no small shop. */
export const FEWEST_REFUSALS = 50;
const TIMES_USUAL = 5;

/** The running hour and the one before it, the earlier first, in milliseconds since 1970. */
export function watchedHours(now: number): readonly number[] {
  const running = now - (now % HOUR_MS);
  return [running - HOUR_MS, running];
}

/** The hours that an hour is compared with. */
export function usualHours(hour: number): readonly number[] {
  return Array.from({ length: DAYS_COMPARED }, (_, index) => hour - (index + 1) * DAY_MS);
}

/** @param counts the refusals of {@link usualHours}, 0 for an hour without any */
export function usualCount(counts: readonly number[]): number {
  return counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0;
}

export function isSpike(count: number, usual: number): boolean {
  return count >= FEWEST_REFUSALS && count >= TIMES_USUAL * usual;
}
