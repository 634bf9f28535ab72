/** For how long things are kept that nobody configures, in milliseconds: what removes them and what tells of it agree. */
import { DAY_MS, HOUR_MS } from './clock.ts';

/** How long each is kept. Events are kept as long as the operator says, notes for ever. */
export const KEPT_MS = {
  /** Kept refusals (rules 10.8). */
  refusals: 90 * DAY_MS,
  /** Statistics by the hour (rules 10.9). */
  hourlyStatistics: 14 * DAY_MS,
  /** Statistics by the day: three years, whichever of them are leap years. */
  dailyStatistics: 1_096 * DAY_MS,
  /** First answers that are given again to safe retries (rules 9). */
  safeRetries: DAY_MS,
  /** Support's extensions of a license count for 30 days (rules 5.6). */
  supportExtensions: 31 * DAY_MS,
  /** What is known of a license file, after it expired (rules 11.3). */
  expiredLicenseFiles: 90 * DAY_MS,
} as const;

/** How long console sessions last (rules 5.4). */
export const SESSION_MS = {
  /** From its beginning, at most. */
  usual: DAY_MS,
  /** Without a call. */
  idle: 12 * HOUR_MS,
  /** Of one that is to be kept: used or not. */
  kept: 7 * DAY_MS,
} as const;
