/**
 * Retention times that are not configurable, in milliseconds. The jobs that delete and the texts that mention them
 * share these.
 */
import { DAY_MS, HOUR_MS } from './clock.ts';

/** Retention by kind. The operator configures that of events; notes are kept for ever. */
export const KEPT_MS = {
  /** Kept refusals (rules 10.8). */
  refusals: 90 * DAY_MS,
  /** Statistics by the hour (rules 10.9). */
  hourlyStatistics: 14 * DAY_MS,
  /** Statistics by the day: three years, leap year included. */
  dailyStatistics: 1_096 * DAY_MS,
  /** Replies that are repeated for safe retries (rules 9). */
  safeRetries: DAY_MS,
  /** Support's extensions of a license count for 30 days (rules 5.6). */
  supportExtensions: 31 * DAY_MS,
  /** Records of license files, after their expiry (rules 11.3). */
  expiredLicenseFiles: 90 * DAY_MS,
} as const;

/** Lifetimes of console sessions (rules 5.4). */
export const SESSION_MS = {
  /** The longest lifetime, from the sign-in. */
  usual: DAY_MS,
  /** The longest time without a call. */
  idle: 12 * HOUR_MS,
  /** The lifetime of a kept session, used or not. */
  kept: 7 * DAY_MS,
} as const;
