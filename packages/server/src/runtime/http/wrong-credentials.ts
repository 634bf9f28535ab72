/**
 * Limits the guessing of secrets. Wrong credentials are counted per network, and a network with too many in one minute
 * is refused when it shows another. A right credential is then refused as well, unless this network has shown it
 * successfully within a day. So guessing yields no information, and one forgotten job with a revoked key does not stop
 * the storefront beside it.
 *
 * All state is in this process's memory and bounded. Evicting an entry only allows an earlier retry, or makes a right
 * credential wait for the end of a pause.
 */
import { LRUCache } from 'lru-cache';
import { DAY_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { networkOf, networksOf } from '../../ground/base/network-address.ts';
import { countsAfter, pauseSeconds, type RecentCounts } from '../../ground/base/recent-counts.ts';

/** A network with a few wrong credentials takes about 1 KiB. */
const NETWORKS_KEPT = 10_000;
/** Right credentials by network, about 200 bytes each. */
const RIGHT_ONES_KEPT = 50_000;

/** Room for entries that grows with them: with the option `max`, both caches took 12 ms of each start. */
const roomFor = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

export class WrongCredentials {
  readonly #limit: number | null;
  readonly #counts = new LRUCache<string, RecentCounts>(roomFor(NETWORKS_KEPT));
  /** Time of last success, by network and name. */
  readonly #rightAt = new LRUCache<string, number>(roomFor(RIGHT_ONES_KEPT));

  /** @param limit wrong credentials per network and minute; null disables counting and refusals */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /**
   * Whole seconds until an address may show a wrong credential again; null if it may now. A null `address` is never
   * limited.
   */
  pauseSeconds(address: string | null, now: number): number | null {
    if (this.#limit === null || address === null) return null;
    let longest: number | null = null;
    for (const { name, times } of networksOf(address)) {
      const pause = pauseSeconds(this.#counts.get(name) ?? [], { max: this.#limit * times, windowMs: MINUTE_MS }, now);
      if (pause !== null) longest = Math.max(longest ?? 0, pause);
    }
    return longest;
  }

  count(address: string | null, now: number): void {
    if (this.#limit === null || address === null) return;
    for (const { name } of networksOf(address))
      this.#counts.set(name, countsAfter(this.#counts.get(name) ?? [], { windowMs: MINUTE_MS }, now));
  }

  /** True if each of these credentials was right from the address's network within a day. */
  areKnown(address: string | null, names: readonly string[], now: number): boolean {
    if (address === null) return false;
    const network = networkOf(address);
    return names.every((name) => {
      const rightAt = this.#rightAt.get(`${network} ${name}`);
      return rightAt !== undefined && Math.abs(now - rightAt) < DAY_MS;
    });
  }

  /** Remembers credentials that were just right. */
  remember(address: string | null, names: readonly string[], now: number): void {
    if (this.#limit === null || address === null) return;
    const network = networkOf(address);
    for (const name of names) this.#rightAt.set(`${network} ${name}`, now);
  }

  /** Forgets credentials that are no longer right. */
  forget(address: string | null, names: readonly string[]): void {
    if (address === null) return;
    const network = networkOf(address);
    for (const name of names) this.#rightAt.delete(`${network} ${name}`);
  }
}
