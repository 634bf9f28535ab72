/** The activation limit: 15 attempts per sliding hour and license (rules 8.1). */
import { HOUR_MS } from '../../ground/base/clock.ts';

export const ATTEMPTS_PER_HOUR = 15;

/** The result of counting an attempt. */
export interface AttemptVerdict {
  /** The attempts to store, including this one; never more than the limit. */
  readonly attempts: readonly number[];
  /** Null when the attempt may proceed; else whole seconds until the next one may. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Records an attempt and decides whether it may proceed. Refused attempts count too, so a program that retries in a
 * loop does not get a new try each time an attempt leaves the hour. The fifteen newest attempts are enough to decide.
 *
 * Clocks differ between nodes, so an attempt may carry an earlier time than the one before it; the limit still holds
 * for any hour. An attempt dated an hour or more ahead came from a wrong clock and is dropped.
 */
export function recordAttempt(attempts: readonly number[], now: number): AttemptVerdict {
  const credible = attempts.filter((at) => at < now + HOUR_MS);
  const isAllowed = credible.filter((at) => at > now - HOUR_MS).length < ATTEMPTS_PER_HOUR;
  const kept = [...credible, now].sort((one, other) => one - other).slice(-ATTEMPTS_PER_HOUR);
  if (isAllowed) return { attempts: kept, retryAfterSeconds: null };
  const oldest = kept[0] ?? now;
  return { attempts: kept, retryAfterSeconds: Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000)) };
}

/** Earliest time at which an attempt may proceed if none is made before then; `now` when one may proceed at once. */
export function nextAttemptAt(attempts: readonly number[], now: number): number {
  const inHour = attempts.filter((at) => at > now - HOUR_MS && at < now + HOUR_MS);
  const oldest = inHour.at(-ATTEMPTS_PER_HOUR);
  return oldest === undefined ? now : oldest + HOUR_MS;
}
