/** Pure rules: when the digest of a week is due, and which week it is of (rules 13.10). All days are those of UTC. */
import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';

const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday; this Monday is the first one after it. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
/** From Monday at this time on, the week before is told of. */
const TOLD_FROM_MS = 8 * HOUR_MS;

/** A week from Monday to Sunday, in milliseconds since 1970. */
export interface Week {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The last week that a digest may be of at a moment: on Mondays before 08:00 UTC, the one that ended a week ago. */
export function latestWeek(now: number): Week {
  const moment = now - TOLD_FROM_MS - FIRST_MONDAY_MS;
  const to = FIRST_MONDAY_MS + moment - (moment % WEEK_MS);
  return { from: to - WEEK_MS, to };
}

export function weekBefore({ from }: Week): Week {
  return { from: from - WEEK_MS, to: from };
}

/**
 * Returns the week whose digest is due; null if none is. After days without a node, only the last week is told of.
 *
 * @param lastAt the moment of the last digest, or of the first look for one
 */
export function dueWeek(lastAt: number, now: number): Week | null {
  const week = latestWeek(now);
  return lastAt < week.to + TOLD_FROM_MS ? week : null;
}

/** `16 November to 22 November 2026`. */
export function weekText({ from, to }: Week): string {
  const day = (moment: number, year?: 'numeric') =>
    new Date(moment).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      timeZone: 'UTC',
      ...(year && { year }),
    });
  const last = to - DAY_MS;
  const isOneYear = toTimestamp(from).slice(0, 4) === toTimestamp(last).slice(0, 4);
  return `${day(from, isOneYear ? undefined : 'numeric')} to ${day(last, 'numeric')}`;
}
