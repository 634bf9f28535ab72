/**
 * Retry times of failed deliveries and destinations (rules 12). Times are milliseconds since 1970; `random` is a number
 * from 0 to 1.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../ground/base/clock.ts';

/** Waits of an event that its receiver refuses while it accepts others, after each failed attempt but the last. */
const EVENT_WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
const EVENT_JITTER = 0.1;

/** Waits of a destination that does not answer. The last one repeats. */
const DESTINATION_WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
] as const;
const DESTINATION_JITTER = 0.2;
/** Longest Retry-After that is obeyed. */
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/** Longest valid waits for an attempt and for a failing destination; a time further ahead was set by a wrong clock. */
const FURTHEST_DUE_MS = 24 * HOUR_MS * (1 + EVENT_JITTER);
const FURTHEST_TRY_MS = LONGEST_RETRY_AFTER_MS;

/** Time after its first failure for which an event holds back later events of its license. */
export const ORDER_KEPT_MS = 5 * MINUTE_MS;

/** Times after the first failure of a destination at which its owner is notified. */
const ALARMS_MS = [15 * MINUTE_MS, 24 * HOUR_MS, 96 * HOUR_MS] as const;

/** Time without a success after which a destination is disabled, unless configured. */
export const GIVE_UP_MS = 5 * DAY_MS;

/** Failures in a row, of more than one event, after which the destination counts as failing. */
export const FAILURES_IN_A_ROW = 5;

/**
 * Returns the time of the next attempt of an event.
 *
 * @param attempts failed attempts so far, from 1
 * @returns null after the last attempt
 */
export function nextAttemptAt(attempts: number, now: number, random: number): number | null {
  const wait = EVENT_WAITS_MS[attempts - 1];
  return wait === undefined ? null : now + jittered(wait, EVENT_JITTER, random);
}

/**
 * Returns the time of the next request to a failing destination.
 *
 * @param failures failed requests since the last success, from 1
 * @param retryAfterMs the wait that the receiver requested; up to an hour, it lengthens the wait and never shortens it
 */
export function nextTryAt(failures: number, now: number, random: number, retryAfterMs?: number): number {
  const wait = DESTINATION_WAITS_MS[Math.min(failures, DESTINATION_WAITS_MS.length) - 1] ?? DESTINATION_WAITS_MS[0];
  return (
    now + Math.max(jittered(wait, DESTINATION_JITTER, random), Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS))
  );
}

/** Returns true for a past time, and for one further ahead than any wait, which was set while a clock was wrong. */
export function isDue(dueAt: number, now: number): boolean {
  return dueAt <= now || dueAt > now + FURTHEST_DUE_MS;
}

/** Returns the same for the next request to a failing destination. */
export function mayTry(dueAt: number, now: number): boolean {
  return dueAt <= now || dueAt > now + FURTHEST_TRY_MS;
}

/**
 * Returns true while an event holds back later events of its license. `firstAt` is its first failure; null before one.
 */
export function holdsBack(firstAt: number | null, now: number): boolean {
  return firstAt === null || Math.abs(now - firstAt) < ORDER_KEPT_MS;
}

/**
 * Returns true if a failure is the first one after a time at which the owner is notified: 15 minutes, 24 hours and 96
 * hours after the destination began to fail.
 *
 * @param previousAt the failure before this one
 */
export function isAlarmDue(failingSince: number, previousAt: number, now: number): boolean {
  return ALARMS_MS.some((after) => previousAt < failingSince + after && failingSince + after <= now);
}

/**
 * Returns true if an answer means that the destination, rather than one event, is in trouble. Any other answer outside
 * 2xx is a refusal of the event.
 */
export function isTroubleOfDestination(status: number | null): boolean {
  return status === null || status === 429 || status === 502 || status === 503 || status === 504;
}

function jittered(wait: number, share: number, random: number): number {
  return Math.round(wait * (1 - share + 2 * share * random));
}
