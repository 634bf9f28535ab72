/**
 * Counts recent occurrences compactly: a window (an hour, a minute) has 60 parts, and each part with an occurrence has
 * a count. Pure: the counts are a value that memory or the database keeps.
 */
import { MINUTE_MS } from './clock.ts';

/**
 * Parts of time (numbered since 1970) with their counts, the oldest first. A steady clock leaves 61 entries at most, a
 * clock that jumps twice as many.
 */
export type RecentCounts = readonly (readonly [part: number, count: number])[];

/** The number of occurrences that any window may have. */
export interface Allowance {
  readonly max: number;
  readonly windowMs: number;
  /**
   * The length of a part; a sixtieth of the window by default. With 1, each moment has an entry and the pause is exact:
   * for a `max` of at most some hundred.
   */
  readonly partMs?: number;
}

const PARTS_PER_WINDOW = 60;

/**
 * Counts that are dated later than this, or than a window, came from a clock that was wrong. They count for nothing, so
 * a clock that was ahead refuses nobody once it is right. The clocks of nodes differ by less.
 */
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** Reads the counts of a stored value of any shape; skips entries that do not fit. */
export function recentCountsIn(stored: unknown): RecentCounts {
  return Array.isArray(stored) ? stored.filter(isCount) : [];
}

function isCount(value: unknown): value is RecentCounts[number] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isFinite(each));
}

/**
 * Returns the whole seconds until `count` more are allowed; null if they are allowed now. An occurrence counts until
 * the end of its part is a window old, so never more than `max` fall into any window. A `count` above `max` is never
 * allowed; its pause is a window.
 *
 * @param now in milliseconds
 */
export function pauseSeconds(counts: RecentCounts, allowance: Allowance, now: number, count = 1): number | null {
  if (count > allowance.max) return Math.ceil(allowance.windowMs / 1000);
  const recent = recentCounts(counts, allowance, now);
  let total = recent.reduce((sum, [, each]) => sum + each, 0);
  let freeAt = now;
  for (const [part, each] of recent) {
    if (total + count <= allowance.max) break;
    freeAt = endOf(part, allowance);
    total -= each;
  }
  return freeAt === now ? null : Math.max(1, Math.ceil((freeAt - now) / 1000));
}

/** Returns the counts after `count` more occurrences. */
export function countsAfter(
  counts: RecentCounts,
  allowance: Omit<Allowance, 'max'>,
  now: number,
  count = 1,
): RecentCounts {
  const present = partOf(now, allowance);
  const recent = recentCounts(counts, allowance, now);
  const [, before = 0] = recent.find(([part]) => part === present) ?? [];
  const others = recent.filter(([part]) => part !== present);
  return [...others, [present, before + count] as const].sort(([one], [other]) => one - other);
}

/** The moment from which nothing counts any more that was counted until `now`. */
export function endOfCounts(allowance: Omit<Allowance, 'max'>, now: number): number {
  return endOf(partOf(now, allowance), allowance);
}

function recentCounts(counts: RecentCounts, allowance: Omit<Allowance, 'max'>, now: number): RecentCounts {
  const latest = now + Math.min(MAX_AHEAD_MS, allowance.windowMs);
  return counts.filter(([part]) => now < endOf(part, allowance) && part * partMsOf(allowance) <= latest);
}

/** The moment from which a part counts no longer: its last millisecond is a window old. */
function endOf(part: number, allowance: Omit<Allowance, 'max'>): number {
  const partMs = partMsOf(allowance);
  return (part + 1) * partMs - 1 + allowance.windowMs;
}

const partOf = (moment: number, allowance: Omit<Allowance, 'max'>): number => Math.floor(moment / partMsOf(allowance));

const partMsOf = ({ windowMs, partMs = windowMs / PARTS_PER_WINDOW }: Omit<Allowance, 'max'>): number => partMs;
