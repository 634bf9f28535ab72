/**
 * Limits the guessing of secrets: wrong credentials are counted by network, and a network that showed too many in a minute is
 * refused when it shows another. Refused as well is then a right one, unless it was right from this network within a day:
 * so nobody can tell by trying, and one forgotten job with a revoked key does not stop the storefront beside it.
 *
 * All in the memory of this process, bounded: what is forgotten because there was too much of it only lets somebody try
 * again earlier, or asks a right credential to wait for the end of a pause.
 */
import { LRUCache } from 'lru-cache';
import { DAY_MS, MINUTE_MS } from '../clock.ts';
import { networkOf, networksOf } from '../network-address.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../recent-counts.ts';

/** A network that shows a few wrong ones takes about 1 KiB. */
const NETWORKS_KEPT = 10_000;
/** Right credentials by network, about 200 bytes each. */
const RIGHT_ONES_KEPT = 50_000;

export class WrongCredentials {
  readonly #limit: number | null;
  readonly #counts = new LRUCache<string, RecentCounts>({ max: NETWORKS_KEPT });
  /** When a credential was right last, by network and name. */
  readonly #rightAt = new LRUCache<string, number>({ max: RIGHT_ONES_KEPT });

  /** @param limit wrong ones per network and minute; null: nothing is counted and nobody refused */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /** Whole seconds until an address may show a wrong credential again; null when it may now. `address` null is nowhere. */
  pauseSeconds(address: string | null, now: number): number | null {
    if (this.#limit === null || address === null) return null;
    let longest: number | null = null;
    for (const { name, times } of networksOf(address)) {
      const pause = pauseSeconds(this.#counts.get(name) ?? [], this.#limit * times, now, MINUTE_MS);
      if (pause !== null) longest = Math.max(longest ?? 0, pause);
    }
    return longest;
  }

  /** Counts a wrong credential. */
  count(address: string | null, now: number): void {
    if (this.#limit === null || address === null) return;
    for (const { name } of networksOf(address))
      this.#counts.set(name, countsAfter(this.#counts.get(name) ?? [], now, MINUTE_MS));
  }

  /** Whether each of these was right from the address's network within a day. */
  areKnown(address: string | null, names: readonly string[], now: number): boolean {
    if (address === null) return false;
    const network = networkOf(address);
    return names.every((name) => {
      const rightAt = this.#rightAt.get(`${network} ${name}`);
      return rightAt !== undefined && Math.abs(now - rightAt) < DAY_MS;
    });
  }

  /** Remembers credentials that were right just now. */
  remember(address: string | null, names: readonly string[], now: number): void {
    if (this.#limit === null || address === null) return;
    const network = networkOf(address);
    for (const name of names) this.#rightAt.set(`${network} ${name}`, now);
  }

  /** Forgets a credential that is not right any more. */
  forget(address: string | null, names: readonly string[]): void {
    if (address === null) return;
    const network = networkOf(address);
    for (const name of names) this.#rightAt.delete(`${network} ${name}`);
  }
}
