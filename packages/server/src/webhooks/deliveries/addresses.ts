/**
 * The IP addresses of receivers. The sender counts requests by IP and port, so it looks up a name before a request
 * begins, rather than while the request connects.
 */
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { literalOf } from '../destinations/address-policy.ts';

/** Age at which found addresses are looked up again. They serve requests meanwhile. */
const REFRESHED_AFTER_MS = 10_000;
/** Age at which found addresses are no longer used, for example while the name servers do not answer. */
const USED_FOR_MS = 5 * MINUTE_MS;
/** Time for which a failed look-up counts, shorter than the shortest wait before another try of a destination. */
const FAILURE_USED_FOR_MS = 3_000;
/** Concurrent look-ups, of which the last ones are for receivers whose last answer was quick. */
const LOOK_UPS_AT_ONCE = 192;
const LOOK_UPS_OF_OTHERS = 128;
const MAX_NAMES = 4_096;
/** Addresses of a name that requests try. */
const MAX_ADDRESSES = 16;

interface Known {
  readonly addresses: readonly string[];
  readonly foundAt: number;
  /** The end of the last look-up, which may have failed. */
  readonly lookedUpAt: number;
}

/** Dependencies of {@link Addresses}. */
export interface AddressesParts {
  /** Resolves to the addresses of a name, without one if it has none. Never rejects. */
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Called at the end of each look-up. */
  readonly lookedUp: () => void;
}

/** See the head of this file. */
export class Addresses {
  readonly #parts: AddressesParts;
  readonly #known = new LRUCache<string, Known>({ max: MAX_NAMES });
  readonly #lookUps = new Set<string>();
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(parts: AddressesParts) {
    this.#parts = parts;
  }

  /**
   * Returns the addresses of a URL's host in the order in which to try them, without one if the name has none; null
   * while the name is looked up.
   *
   * @param isQuick true if the last answer of the receiver was quick
   */
  of(url: URL, isQuick: boolean): readonly string[] | null {
    const literal = literalOf(url);
    if (literal !== null) return [literal];
    const name = nameOf(url);
    const now = this.#parts.elapsed();
    const known = this.#known.get(name);
    const usedFor = known?.addresses.length === 0 ? FAILURE_USED_FOR_MS : USED_FOR_MS;
    const isUsable = known !== undefined && now - known.foundAt < usedFor;
    if (!isUsable || now - known.lookedUpAt >= REFRESHED_AFTER_MS) this.#lookUp(name, isQuick);
    return isUsable ? known.addresses : null;
  }

  /** Puts an address that cannot be connected to behind the others of its name. */
  putLast(url: URL, address: string): void {
    const known = this.#known.get(nameOf(url));
    if (known?.addresses.includes(address) !== true) return;
    const addresses = [...known.addresses.filter((each) => each !== address), address];
    this.#known.set(nameOf(url), { ...known, addresses });
  }

  #lookUp(name: string, isQuick: boolean): void {
    if (this.#lookUps.has(name) || this.#lookUps.size >= (isQuick ? LOOK_UPS_AT_ONCE : LOOK_UPS_OF_OTHERS)) return;
    this.#lookUps.add(name);
    void this.#parts.lookUp(name).then((found) => {
      this.#lookUps.delete(name);
      const now = this.#parts.elapsed();
      const known = this.#known.get(name);
      const isFailure = found.length === 0 && known !== undefined && known.addresses.length > 0;
      if (isFailure && now - known.foundAt < USED_FOR_MS) this.#known.set(name, { ...known, lookedUpAt: now });
      else this.#known.set(name, { addresses: inOrderOf(known, found), foundAt: now, lookedUpAt: now });
      this.#forgetUnused(now);
      this.#parts.lookedUp();
    });
  }

  /** A name in use is looked up again and again; the others go. */
  #forgetUnused(now: number): void {
    if (now - this.#forgotAt < MINUTE_MS) return;
    this.#forgotAt = now;
    const unused = [...this.#known.entries()].filter(([, { lookedUpAt }]) => now - lookedUpAt >= USED_FOR_MS);
    for (const [name] of unused) this.#known.delete(name);
  }

  /** Names that are remembered. */
  get size(): number {
    return this.#known.size;
  }
}

/** Name servers rotate their answers; the known order keeps connections in use and unreachable addresses last. */
function inOrderOf(known: Known | undefined, found: readonly string[]): readonly string[] {
  const before = known?.addresses.filter((each) => found.includes(each)) ?? [];
  return [...before, ...found.filter((each) => !before.includes(each))].slice(0, MAX_ADDRESSES);
}

function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}
