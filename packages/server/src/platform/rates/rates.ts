/**
 * Limits of the kind "at most N in an hour". Each counted subject has a row, which a transaction that counts locks to
 * its end, so the limits are exact on all nodes.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import {
  type Allowance,
  countsAfter,
  endOfCounts,
  pauseSeconds,
  type RecentCounts,
} from '../../ground/base/recent-counts.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { findRates, lockRateRows, saveRateRows } from './rate-store.ts';

/** A counted subject and its limit. A `max` of Infinity counts without a limit. */
export interface RateLimit extends Allowance {
  /**
   * The name of the limit with the counted network, key or address: `codes of <hash>`. An address is named by its hash,
   * because forgetting a customer does not look here. Every limit of a subject has the same window and parts.
   */
  readonly subject: string;
}

/**
 * Returns the whole seconds until `count` more fit into every limit; null if they fit now. Locks and counts nothing, so
 * callers beyond their limit wait for nobody; {@link countRates} decides.
 *
 * @param now milliseconds since 1970, as for all functions here
 */
export async function askRates(sql: Sql, limits: readonly RateLimit[], now: number, count = 1): Promise<number | null> {
  if (limits.length === 0) return null;
  return longestPause(limits, await findRates(sql, limits.map(subjectOf)), now, count);
}

/**
 * Counts `count` for every limit if they fit into all of them; otherwise counts nothing. A refusal writes nothing: a
 * stranger who is refused from one network after another would leave a row of each. Takes four statements for any
 * number of limits.
 *
 * @returns null if they were counted, else the whole seconds until they fit
 */
export async function countRates(tx: Tx, limits: readonly RateLimit[], now: number, count = 1): Promise<number | null> {
  const known = await askRates(tx, limits, now, count);
  if (known !== null) return known;
  const rates = await lockRates(tx, limits, now);
  const pause = rates.pauseSeconds(count);
  if (pause !== null) return pause;
  rates.count(count);
  await rates.save();
  return null;
}

/**
 * Locks the subjects of some limits until the transaction ends. All limits of a transaction belong into one call, which
 * locks them in the order of their subjects, so that no two transactions wait for each other.
 */
export async function lockRates(tx: Tx, limits: readonly RateLimit[], now: number): Promise<LockedRates> {
  const ordered = limits.toSorted((one, other) => (one.subject < other.subject ? -1 : 1));
  const known =
    ordered.length === 0
      ? new Map<string, RecentCounts>()
      : await lockRateRows(
          tx,
          ordered.map((limit) => ({ subject: limit.subject, counts: [], endsAt: endOf(limit, now) })),
        );
  return new LockedRates(tx, ordered, known, now);
}

/** Locked subjects: what the caller counts is written by {@link save}. */
export class LockedRates {
  readonly #tx: Tx;
  readonly #limits: readonly RateLimit[];
  readonly #counts: Map<string, RecentCounts>;
  readonly #now: number;

  constructor(tx: Tx, limits: readonly RateLimit[], counts: ReadonlyMap<string, RecentCounts>, now: number) {
    this.#tx = tx;
    this.#limits = limits;
    this.#counts = new Map(counts);
    this.#now = now;
  }

  /** The whole seconds until `count` more fit into every limit, or into some of them; null if they fit now. */
  pauseSeconds(count = 1, limits = this.#limits): number | null {
    return longestPause(limits, this.#counts, this.#now, count);
  }

  /** Counts `count` for every limit, or for some of them, also beyond it. */
  count(count = 1, limits = this.#limits): void {
    for (const limit of limits) {
      const before = this.#counts.get(limit.subject) ?? [];
      this.#counts.set(limit.subject, countsAfter(before, limit, this.#now, count));
    }
  }

  /** Writes the counts, in one statement that does not tell whether anything was counted. */
  async save(): Promise<void> {
    if (this.#limits.length === 0) return;
    await saveRateRows(
      this.#tx,
      this.#limits.map((limit) => ({
        subject: limit.subject,
        counts: this.#counts.get(limit.subject) ?? [],
        endsAt: endOf(limit, this.#now),
      })),
    );
  }
}

const subjectOf = ({ subject }: RateLimit): string => subject;

const endOf = (limit: RateLimit, now: number): string => toTimestamp(endOfCounts(limit, now));

function longestPause(
  limits: readonly RateLimit[],
  counts: ReadonlyMap<string, RecentCounts>,
  now: number,
  count: number,
): number | null {
  const pauses = limits.flatMap((limit) => pauseSeconds(counts.get(limit.subject) ?? [], limit, now, count) ?? []);
  return pauses.length === 0 ? null : Math.max(...pauses);
}
