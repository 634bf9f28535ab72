/**
 * Counters of self-service: each is a row that is locked until the transaction ends, so they are exact on all nodes.
 */
import { countsAfter, pauseSeconds, type RecentCounts, recentCountsIn } from '../../ground/base/recent-counts.ts';
import { KeptLists } from '../../storage/contract/kept-lists-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';

const counters = new KeptLists('customer_rate', 'subject', 'counts', recentCountsIn);

/** A counter and its limit. */
export interface RateLimit {
  /** The counted thing, such as `codes of <hash>`; never an address. */
  readonly subject: string;
  readonly most: number;
  /** At most a day: rows are deleted after two. */
  readonly windowMs: number;
}

/** A locked counter. */
export interface LockedRate extends RateLimit {
  readonly counts: RecentCounts;
}

/** Locks counters. Every caller locks them in the order of their names, so that no two wait for each other. */
export async function lockRates(tx: Tx, limits: readonly RateLimit[], now: number): Promise<readonly LockedRate[]> {
  const locked: LockedRate[] = [];
  for (const limit of limits.toSorted((one, other) => (one.subject < other.subject ? -1 : 1)))
    locked.push({ ...limit, counts: await counters.lock(tx, limit.subject, now) });
  return locked;
}

/** Seconds until one more fits into every counter; null if it fits now. */
export function pauseOf(rates: readonly LockedRate[], now: number): number | null {
  const pauses = rates.flatMap(({ counts, most, windowMs }) => pauseSeconds(counts, most, now, windowMs) ?? []);
  return pauses.length === 0 ? null : Math.max(...pauses);
}

/**
 * Writes the counters, one higher if `counts`. Otherwise they are written as they are, so that a caller at its limit
 * causes the same statements.
 */
export async function saveRates(tx: Tx, rates: readonly LockedRate[], now: number, counts = true): Promise<void> {
  for (const rate of rates) {
    const after = counts ? countsAfter(rate.counts, now, rate.windowMs) : rate.counts;
    await counters.save(tx, rate.subject, after, now);
  }
}

/** Counts one, unless a counter is at its limit; returns the seconds until it fits, or null if it was counted. */
export async function countOne(tx: Tx, limits: readonly RateLimit[], now: number): Promise<number | null> {
  const rates = await lockRates(tx, limits, now);
  const pause = pauseOf(rates, now);
  await saveRates(tx, rates, now, pause === null);
  return pause;
}
