/** The kinds of notices about licenses that expire, and the expiries that each is due for (rules 12.8). Pure. */
import { DAY_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { EventType } from '../../platform/events/event-types.ts';

/** The name of the job, and of the actor in its events. */
export const EXPIRY_JOB = 'record expiry notices';

/** The types of events that notices are. */
export const NOTICE_TYPES = ['license.expiring', 'license.expired'] as const satisfies readonly EventType[];

/**
 * Notices follow the clock by this much, so that a change of an expiry is committed before the search passes it, and
 * nodes whose clocks differ by less agree on what is due.
 */
export const DELAY_MS = 2 * MINUTE_MS;
/** The latest time after the expiry of a license for its notice: after a longer stop, earlier expiries have none. */
export const LATEST_MS = 30 * DAY_MS;

/** A kind of notice: at the expiry, or some days before it. */
export interface NoticeKind {
  /** `expired`, or the days before the expiry: `7d`. */
  readonly name: string;
  readonly type: (typeof NOTICE_TYPES)[number];
  /** Milliseconds before the expiry. */
  readonly leadMs: number;
  /** Earliest expiry that the kind is due for, in milliseconds from now: before that, the next kind is due. */
  readonly earliestMs: number;
}

/**
 * The kinds of notices.
 *
 * @param leadsMs times before the expiry, in whole days; null for no notices at all
 */
export function noticeKinds(leadsMs: readonly number[] | null): readonly NoticeKind[] {
  if (leadsMs === null) return [];
  const leads = leadsMs.toSorted((one, other) => other - one);
  return [
    ...leads.map((leadMs, index) => ({
      name: `${leadMs / DAY_MS}d`,
      type: 'license.expiring' as const,
      leadMs,
      earliestMs: leads[index + 1] ?? 0,
    })),
    { name: 'expired', type: 'license.expired', leadMs: 0, earliestMs: -LATEST_MS },
  ];
}

/** A place among licenses in the order of their expiry, then of their key. */
export interface ExpiryPosition {
  readonly expiresAt: string;
  readonly licenseKey: string;
}

/** Licenses to examine: those after one place, up to an expiry. */
export interface ExpiryRange {
  readonly from: ExpiryPosition;
  readonly until: string;
}

/**
 * The licenses that notices of a kind are due for.
 *
 * @param now milliseconds since 1970, {@link DELAY_MS} ago
 * @param reached the place that the search has reached; undefined at its first run, which begins now
 */
export function rangeOf(
  { leadMs, earliestMs }: NoticeKind,
  now: number,
  reached: ExpiryPosition | undefined,
): ExpiryRange {
  const end = placeAt(now + leadMs);
  const earliest = placeAt(now + earliestMs);
  // A place beyond the end was reached by a clock that was ahead. The stored notices prevent second ones.
  const from = reached === undefined || reached.expiresAt > end.expiresAt ? end : reached;
  return { from: isBefore(from, earliest) ? earliest : from, until: end.expiresAt };
}

/** The place before all licenses that expire at a moment, in milliseconds since 1970. */
function placeAt(moment: number): ExpiryPosition {
  return { expiresAt: toTimestamp(moment), licenseKey: '' };
}

/** Whether one place comes before another. */
export function isBefore(one: ExpiryPosition, other: ExpiryPosition): boolean {
  return one.expiresAt === other.expiresAt ? one.licenseKey < other.licenseKey : one.expiresAt < other.expiresAt;
}
