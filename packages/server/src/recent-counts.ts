/**
 * How often something happened lately, in little room: a window (an hour, a minute) has 60 parts, and each part in which
 * something happened has a number. Pure: the counts are a value, for the memory or the database to keep.
 */

/**
 * Part of time (numbered since 1970) and how often it happened in it, the oldest first. A steady clock leaves 61 entries
 * at most, one that jumps twice as many.
 */
export type RecentCounts = readonly (readonly [part: number, count: number])[];

const PARTS_PER_WINDOW = 60;

/** The counts in a stored value, which may be anything; without what does not fit. */
export function recentCountsIn(stored: unknown): RecentCounts {
  return Array.isArray(stored) ? stored.filter(isCount) : [];
}

function isCount(value: unknown): value is RecentCounts[number] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isFinite(each));
}

/**
 * Whole seconds until it may happen again; null when it may now. What happened counts until the whole part in which it
 * happened is older than the window, so never more than `limit` fall into any window.
 *
 * @param now and windowMs in milliseconds
 */
export function pauseSeconds(counts: RecentCounts, limit: number, now: number, windowMs: number): number | null {
  const recent = recentCounts(counts, now, windowMs);
  let total = recent.reduce((sum, [, count]) => sum + count, 0);
  if (total < limit) return null;
  const partMs = windowMs / PARTS_PER_WINDOW;
  let freeAt = now;
  for (const [part, count] of recent) {
    freeAt = (part + PARTS_PER_WINDOW + 1) * partMs;
    total -= count;
    if (total < limit) break;
  }
  return Math.max(1, Math.ceil((freeAt - now) / 1000));
}

/** The counts to keep after it happened once more. */
export function countsAfter(counts: RecentCounts, now: number, windowMs: number): RecentCounts {
  const present = partOf(now, windowMs);
  const recent = recentCounts(counts, now, windowMs);
  const [, before = 0] = recent.find(([part]) => part === present) ?? [];
  const others = recent.filter(([part]) => part !== present);
  return [...others, [present, before + 1] as const].sort(([one], [other]) => one - other);
}

/** Those within the window. One that is further ahead was counted by a clock that was wrong, and is forgotten. */
function recentCounts(counts: RecentCounts, now: number, windowMs: number): RecentCounts {
  const present = partOf(now, windowMs);
  return counts.filter(([part]) => Math.abs(present - part) <= PARTS_PER_WINDOW);
}

function partOf(now: number, windowMs: number): number {
  return Math.floor(now / (windowMs / PARTS_PER_WINDOW));
}
