/**
 * How often one key may sign in to the console, and how its sign-ins are gathered in events: whoever has a key, even one
 * that only reads, could fill the database with sessions otherwise. Pure (rules 5.4).
 */
import { HOUR_MS } from '../clock.ts';
import type { SharedEvent } from '../events/event.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../recent-counts.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { ADMIN_SOURCE, type ConsoleSession } from './session.ts';

/** Sign-ins that one operator key or API key has within an hour, over all nodes. The admin secret has no limit. */
export const SIGN_INS_PER_HOUR = 30;

/** What is kept of the sign-ins of one key, or with the admin secret under one name. */
export interface SignInRate {
  /** As {@link ConsoleSession} has it. */
  readonly source: string;
  /** Empty where the session has none. */
  readonly name: string;
  readonly counts: RecentCounts;
  /** Tells of sessions that were begun; null before the first. */
  readonly createdEvent: SharedEvent | null;
  /** Tells of sessions that ended to make room; null where none did. */
  readonly endedEvent: SharedEvent | null;
  readonly lastAt: string;
}

/** What is known of a key that has not signed in lately. */
export function noSignIns({ source, name }: ConsoleSession): SignInRate {
  return { source, name: name ?? '', counts: [], createdEvent: null, endedEvent: null, lastAt: '' };
}

/** Refuses a key that has signed in too often. */
export function refusalForSignIns({ source, counts }: SignInRate, now: number): Refusal<'sign_in_rate'> | null {
  if (source === ADMIN_SOURCE) return null;
  const retryAfterSeconds = pauseSeconds(counts, SIGN_INS_PER_HOUR, now, HOUR_MS);
  return retryAfterSeconds === null ? null : refuse('sign_in_rate', { retryAfterSeconds });
}

/** The counts after one more sign-in. */
export function countsAfterSignIn({ counts }: SignInRate, now: number): RecentCounts {
  return countsAfter(counts, now, HOUR_MS);
}
