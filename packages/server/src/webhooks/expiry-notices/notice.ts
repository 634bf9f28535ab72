/** The kinds of notices about licenses and updates that end, and the ends that each is due for (rules 12.8). Pure. */
import { DAY_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { endsAt, type License } from '../../licensing/licenses/license.ts';
import type { EventType } from '../../platform/events/event-types.ts';

/** The name of the job, and of the actor in its events. */
export const EXPIRY_JOB = 'record expiry notices';

/** The types of events that notices are. */
export const NOTICE_TYPES = [
  'license.expiring',
  'license.expired',
  'license.updates_expiring',
] as const satisfies readonly EventType[];

/**
 * Notices follow the clock by this much, so that a change of an expiry is committed before the search passes it, and
 * nodes whose clocks differ by less agree on what is due.
 */
export const DELAY_MS = 2 * MINUTE_MS;
/** The latest time after the expiry of a license for its notice: after a longer stop, earlier expiries have none. */
export const LATEST_MS = 30 * DAY_MS;

/** An end of a license: its expiry, its expiry and the grace, or the end of its updates. */
export type NoticedEnd = 'expiresAt' | 'endsAt' | 'updatesUntil';

/** A kind of notice: at an end, or some days before it. */
export interface NoticeKind {
  /** `expired`, or the days before the expiry: `7d`, or before the end of the updates: `updates 7d`. */
  readonly name: string;
  readonly type: (typeof NOTICE_TYPES)[number];
  readonly end: NoticedEnd;
  /** Milliseconds before the end. */
  readonly leadMs: number;
  /** Earliest end that the kind is due for, in milliseconds from now: before that, the next kind is due. */
  readonly earliestMs: number;
}

/** The moment of an end of a license; null if it has none. */
export function momentOf(license: Pick<License, 'expiresAt' | 'graceDays' | 'updatesUntil'>, end: NoticedEnd) {
  return end === 'endsAt' ? endsAt(license) : license[end];
}

/**
 * The kinds of notices.
 *
 * @param leadsMs times before the end, in whole days; null for no notices at all
 */
export function noticeKinds(leadsMs: readonly number[] | null): readonly NoticeKind[] {
  if (leadsMs === null) return [];
  const leads = leadsMs.toSorted((one, other) => other - one);
  const before = leads.map((leadMs, index) => ({
    name: `${leadMs / DAY_MS}d`,
    leadMs,
    earliestMs: leads[index + 1] ?? 0,
  }));
  return [
    ...before.map((each) => ({ ...each, type: 'license.expiring', end: 'expiresAt' }) as const),
    { name: 'expired', type: 'license.expired', end: 'endsAt', leadMs: 0, earliestMs: -LATEST_MS },
    ...before.map(
      (each) =>
        ({ ...each, name: `updates ${each.name}`, type: 'license.updates_expiring', end: 'updatesUntil' }) as const,
    ),
  ];
}

/** A place among licenses in the order of one of their ends, then of their key. */
export interface ExpiryPosition {
  /** The moment of the end. */
  readonly expiresAt: string;
  readonly licenseKey: string;
}

/** Licenses to examine: those after one place, up to an end. */
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
