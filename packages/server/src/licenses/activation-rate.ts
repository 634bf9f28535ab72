/** The activation limit: 15 attempts per sliding hour and license (rules 8.1). */
import { HOUR_MS } from '../clock.ts';

export const ATTEMPTS_PER_HOUR = 15;

/** What an attempt comes to. */
export interface AttemptVerdict {
  /** The attempts to keep, this one included: never more than the limit. */
  readonly attempts: readonly number[];
  /** Null when the attempt may go on; else the whole seconds after which one can. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Records an attempt and says whether it may go on. Every attempt counts, refused ones too, so a program that hammers
 * does not get a fresh try each time one slips out of the hour; the fifteen newest are all that is needed to know.
 *
 * The clocks of nodes differ, so an attempt may come with an earlier time than one before it: the limit holds for any
 * hour all the same. One that is an hour ahead was made by a clock that was wrong, and is forgotten.
 */
export function recordAttempt(attempts: readonly number[], now: number): AttemptVerdict {
  const credible = attempts.filter((at) => at < now + HOUR_MS);
  const isAllowed = credible.filter((at) => at > now - HOUR_MS).length < ATTEMPTS_PER_HOUR;
  const kept = [...credible, now].sort((one, other) => one - other).slice(-ATTEMPTS_PER_HOUR);
  if (isAllowed) return { attempts: kept, retryAfterSeconds: null };
  const oldest = kept[0] ?? now;
  return { attempts: kept, retryAfterSeconds: Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000)) };
}

/** From when on an attempt may go on, if none is made before then: the moment itself where one may at once. */
export function nextAttemptAt(attempts: readonly number[], now: number): number {
  const inHour = attempts.filter((at) => at > now - HOUR_MS && at < now + HOUR_MS);
  const oldest = inHour.at(-ATTEMPTS_PER_HOUR);
  return oldest === undefined ? now : oldest + HOUR_MS;
}
