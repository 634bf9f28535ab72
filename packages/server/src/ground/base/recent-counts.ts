/**
 * Counts recent occurrences compactly: a window (an hour, a minute) has 60 parts, and each part with an occurrence has
 * a count. Pure: the counts are a value that memory or the database keeps.
 */

/**
 * Parts of time (numbered since 1970) with their counts, the oldest first. A steady clock leaves 61 entries at most, a
 * clock that jumps twice as many.
 */
export type RecentCounts = readonly (readonly [part: number, count: number])[];

const PARTS_PER_WINDOW = 60;

/** Reads the counts of a stored value of any shape; skips entries that do not fit. */
export function recentCountsIn(stored: unknown): RecentCounts {
  return Array.isArray(stored) ? stored.filter(isCount) : [];
}

function isCount(value: unknown): value is RecentCounts[number] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isFinite(each));
}

/**
 * Returns the whole seconds until another occurrence is allowed; null if one is allowed now. An occurrence counts until
 * its whole part is older than the window, so never more than `limit` fall into any window.
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

/** Returns the counts after one more occurrence. */
export function countsAfter(counts: RecentCounts, now: number, windowMs: number): RecentCounts {
  const present = partOf(now, windowMs);
  const recent = recentCounts(counts, now, windowMs);
  const [, before = 0] = recent.find(([part]) => part === present) ?? [];
  const others = recent.filter(([part]) => part !== present);
  return [...others, [present, before + 1] as const].sort(([one], [other]) => one - other);
}

/**
 * Returns the counts within the window. A count that is further ahead comes from a clock that was wrong, and is
 * dropped.
 */
function recentCounts(counts: RecentCounts, now: number, windowMs: number): RecentCounts {
  const present = partOf(now, windowMs);
  return counts.filter(([part]) => Math.abs(present - part) <= PARTS_PER_WINDOW);
}

function partOf(now: number, windowMs: number): number {
  return Math.floor(now / (windowMs / PARTS_PER_WINDOW));
}
