/**
 * A bounded cache of the licenses that /verify read last. It exists only where this process is the only writer
 * (SQLite): a commit that touches a license removes it from the cache before the commit is reported.
 */
import { fromTimestamp } from '../../ground/base/clock.ts';
import { type CheckedLicense, type Period, UNREADABLE_PRODUCTS } from '../licenses/license.ts';
import type { LicenseUntilLapse } from '../licenses/license-set-store.ts';
import { EVERY_LICENSE } from '../products/changed-licenses.ts';

const LARGEST_BUNDLE_KEPT = 16;

/** Mark bits per cached license: enough that two recently requested licenses rarely share one. */
const MARKS_PER_LICENSE = 8;

/** Licenses inspected to find one to evict; if all of them were requested, the last one is evicted. */
const MAX_LOOKED_AT = 64;

/**
 * A reply that accepts a license, as JSON text. Apps ask for the same reply again and again, and sending one text costs
 * less than reading the license and making the reply anew: it saves 8 % of the CPU of a /verify.
 */
export interface KeptReply {
  readonly text: string;
  /** The requested product. */
  readonly productId: string | null;
  /** The time for which it holds. */
  readonly period: Period;
}

/** A cached license. */
export interface CachedLicense {
  license: CheckedLicense;
  /** The last reply; null before the first. */
  reply: KeptReply | null;
}

interface Kept extends CachedLicense {
  /** Time in milliseconds before which none of its floating sessions lapses; null without such a session. */
  lapsesAt: number | null;
  /** Whether it was requested since the hand last passed it. */
  isAskedFor: boolean;
}

/**
 * See the head of this file. Eviction follows SIEVE: a hand moves through the licenses in order of insertion and
 * removes the first one that was not requested since its last pass. A hit is therefore a single look-up; an LRU cache
 * would change its list at four places with every call.
 */
export class LicenseCache {
  readonly #maximum: number;
  /** In order of insertion. */
  readonly #licenses = new Map<string, Kept>();
  #hand = this.#licenses.values();
  /** A bit for each license requested since the marks were last cleared; see {@link remember}. */
  readonly #marks: Uint8Array;
  #marked = 0;

  /** @param maximum number of licenses to keep; about 1.4 KiB each with their replies */
  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#marks = new Uint8Array(Math.ceil((maximum * MARKS_PER_LICENSE) / 8));
  }

  /** Number of cached licenses. */
  get size(): number {
    return this.#licenses.size;
  }

  /** The license as it is stored now; undefined when the cache does not know. */
  recall(licenseKey: string, now: number): CachedLicense | undefined {
    const kept = this.#licenses.get(licenseKey);
    if (kept === undefined || (kept.lapsesAt !== null && kept.lapsesAt <= now)) return undefined;
    if (!kept.isAskedFor) kept.isAskedFor = true;
    return kept;
  }

  /**
   * Caches a license until the next of its floating sessions may lapse; a sign of life only postpones that. Skips
   * bundles so large that a few would take the room of thousands.
   *
   * A full cache adds a license only on its second request. Otherwise, millions of licenses requested once would evict
   * the frequently requested ones, and each insertion costs more than it saves (a tenth of a call).
   */
  remember({ license, nextLapse }: LicenseUntilLapse): void {
    const { licenseKey, unlockedProducts } = license;
    // Unreadable products are read again, because they may have been repaired.
    if (unlockedProducts.length > LARGEST_BUNDLE_KEPT || unlockedProducts === UNREADABLE_PRODUCTS) return;
    const lapsesAt = nextLapse === null ? null : fromTimestamp(nextLapse);
    const kept = this.#licenses.get(licenseKey);
    if (kept !== undefined) {
      kept.license = license;
      kept.reply = null;
      kept.lapsesAt = lapsesAt;
      return;
    }
    if (this.#licenses.size >= this.#maximum) {
      if (!this.#isAskedForAgain(licenseKey)) return;
      this.#makeRoom();
    }
    this.#licenses.set(licenseKey, { license, reply: null, lapsesAt, isAskedFor: false });
  }

  /** Removes licenses that a commit touched; all of them for {@link EVERY_LICENSE}. */
  forget(licenseKeys: readonly string[]): void {
    if (licenseKeys.includes(EVERY_LICENSE)) this.#licenses.clear();
    for (const licenseKey of licenseKeys) this.#licenses.delete(licenseKey);
  }

  /** Evicts one license. The cache must not be empty. */
  #makeRoom(): void {
    let kept = this.#moveHand();
    for (let looked = 1; kept.isAskedFor && looked < MAX_LOOKED_AT; looked += 1) {
      kept.isAskedFor = false;
      kept = this.#moveHand();
    }
    this.#licenses.delete(kept.license.licenseKey);
  }

  /** Moves the hand to the next license, wrapping around at the end. */
  #moveHand(): Kept {
    let next = this.#hand.next();
    if (next.done) {
      this.#hand = this.#licenses.values();
      next = this.#hand.next();
    }
    return next.value!;
  }

  /** Marks a license; true when its mark was set before, possibly by another license. */
  #isAskedForAgain(licenseKey: string): boolean {
    const mark = markOf(licenseKey) % (this.#marks.length * 8);
    const [byte, bit] = [mark >>> 3, 1 << (mark & 7)];
    if ((this.#marks[byte]! & bit) !== 0) return true;
    if (this.#marked >= this.#maximum) {
      this.#marks.fill(0);
      this.#marked = 0;
    }
    this.#marks[byte]! |= bit;
    this.#marked += 1;
    return false;
  }
}

/** FNV-1a, 32 bits: spreads keys that differ in a few characters. */
function markOf(licenseKey: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < licenseKey.length; index += 1)
    hash = Math.imul(hash ^ licenseKey.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
