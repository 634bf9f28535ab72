/** Seats in words: pure. */
import type { SessionPool } from '../api/contract.ts';
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';

/** The seats in use of a pool, in a sentence. */
export function poolText({ inUse, limit }: Pick<SessionPool, 'inUse' | 'limit'>): string {
  if (limit < 0)
    return inUse === 1
      ? '1 seat is in use, without a limit.'
      : `${countText(inUse)} seats are in use, without a limit.`;
  if (inUse >= limit) return limit === 1 ? 'The one seat is in use.' : `All ${countText(limit)} seats are in use.`;
  return `${countText(inUse)} of ${countText(limit)} seats ${inUse === 1 ? 'is' : 'are'} in use.`;
}

/** The most seats in use in 30 days; null if those are the present ones. */
export function peakText({ inUse, peak }: Pick<SessionPool, 'inUse' | 'peak'>): string | null {
  return peak > inUse ? `The most in 30 days: ${countText(peak)}.` : null;
}

/** The refusals of the last hour; null if there were none. */
export function refusedText(count: number): string | null {
  if (count === 0) return null;
  if (count === 1) return 'An app was refused in the last hour.';
  return `Apps were refused ${count === 2 ? 'twice' : `${countText(count)} times`} in the last hour.`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The time until a session ends by itself: whole minutes, then seconds.
 *
 * @param now milliseconds since 1970
 */
export function endsInText(endsAt: string, now: number): string {
  const left = Date.parse(endsAt) - now;
  if (left <= 0) return 'now';
  if (left < MINUTE_MS) return `${Math.ceil(left / SECOND_MS)} s`;
  if (left < HOUR_MS) return `${Math.floor(left / MINUTE_MS)} min`;
  return `${Math.floor(left / HOUR_MS)} h ${Math.floor((left % HOUR_MS) / MINUTE_MS)} min`;
}

/** The name of a country; a dash if unknown. */
export function countryText(code: string | null): string {
  return code === null ? '–' : countryName(code);
}
