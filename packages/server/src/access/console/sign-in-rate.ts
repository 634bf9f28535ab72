/**
 * Pure rules that limit the sign-ins of one key to the console and group them in events (rules 5.4). Otherwise any key,
 * even a read-only one, could fill the database with sessions.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../../ground/base/recent-counts.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { SharedEvent } from '../../platform/events/event.ts';
import { ADMIN_SOURCE, type ConsoleSession } from './session.ts';

/** Sign-ins per operator key or API key and hour, across all nodes. The admin secret has no limit. */
export const SIGN_INS_PER_HOUR = 30;

/** The stored sign-ins of one key, or of one name with the admin secret. */
export interface SignInRate {
  /** As in {@link ConsoleSession}. */
  readonly source: string;
  /** Empty for a session without a name. */
  readonly name: string;
  readonly counts: RecentCounts;
  /** The event of started sessions; null before the first. */
  readonly createdEvent: SharedEvent | null;
  /** The event of sessions ended to make room; null without any. */
  readonly endedEvent: SharedEvent | null;
  readonly lastAt: string;
}

/** The state of a key without recent sign-ins. */
export function noSignIns({ source, name }: ConsoleSession): SignInRate {
  return { source, name: name ?? '', counts: [], createdEvent: null, endedEvent: null, lastAt: '' };
}

/** Refuses a key with too many sign-ins. */
export function refusalForSignIns({ source, counts }: SignInRate, now: number): Refusal<'sign_in_rate'> | null {
  if (source === ADMIN_SOURCE) return null;
  const retryAfterSeconds = pauseSeconds(counts, SIGN_INS_PER_HOUR, now, HOUR_MS);
  return retryAfterSeconds === null ? null : refuse('sign_in_rate', { retryAfterSeconds });
}

/** The counts after one more sign-in. */
export function countsAfterSignIn({ counts }: SignInRate, now: number): RecentCounts {
  return countsAfter(counts, now, HOUR_MS);
}
