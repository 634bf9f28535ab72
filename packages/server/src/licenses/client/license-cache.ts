/**
 * Licenses as /verify read them last, a bounded number of them. Only where this process is the only writer (SQLite) is
 * there such a cache: a commit that touches a license makes it forgotten before anybody is told of the commit.
 */
import { fromTimestamp } from '../../clock.ts';
import { type CheckedLicense, UNREADABLE_PRODUCTS } from '../license.ts';
import type { LicenseAtMoment } from '../license-set-store.ts';

const LARGEST_BUNDLE_KEPT = 16;

/** Bits for each license that is kept: of so many, few belong to two that were asked for lately. */
const MARKS_PER_LICENSE = 8;

/** So many licenses are looked at for one that goes; where all of them were asked for, the last of them goes. */
const MOST_LOOKED_AT = 64;

/** A license that is kept. */
interface Kept {
  license: CheckedLicense;
  /** Before this, in milliseconds, none of its floating sessions dies. */
  lapsesAt: number;
  /** Whether it was asked for since it was last looked at as one that may go. */
  isAskedFor: boolean;
}

/**
 * See the head of this file. Which license goes when there is no room is found as by SIEVE: a hand moves through them in
 * the order in which they came and takes out the first that was not asked for since it last came by. So asking for one is
 * a single look-up; a list in the order of use, as an LRU cache keeps it, would be changed at four places with every call.
 */
export class LicenseCache {
  readonly #maximum: number;
  /** In the order in which they came. */
  readonly #licenses = new Map<string, Kept>();
  #hand = this.#licenses.values();
  /** A bit for each license asked for since they were last cleared; see {@link remember}. */
  readonly #marks: Uint8Array;
  #marked = 0;

  /** @param maximum how many licenses are kept; about 1 KiB each */
  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#marks = new Uint8Array(Math.ceil((maximum * MARKS_PER_LICENSE) / 8));
  }

  /** How many licenses are kept at the moment. */
  get size(): number {
    return this.#licenses.size;
  }

  /** The license as it is stored now, or undefined when that is not known. */
  recall(licenseKey: string, now: number): CheckedLicense | undefined {
    const kept = this.#licenses.get(licenseKey);
    if (kept === undefined || kept.lapsesAt <= now) return undefined;
    if (!kept.isAskedFor) kept.isAskedFor = true;
    return kept.license;
  }

  /**
   * Keeps a license until the next of its floating sessions may lapse; a sign of life only puts that off. A bundle so
   * large that a few of them would take the room of thousands is not kept. Once the cache is full, a license is kept
   * when it is asked for again: to let each of millions push out another that is never asked for again either costs
   * more than it saves (a tenth of a call), and those that are asked for often would go with them.
   */
  remember({ license, nextLapse }: LicenseAtMoment): void {
    const { licenseKey, unlockedProducts } = license;
    // What cannot be read is read again, as it may have been repaired.
    if (unlockedProducts.length > LARGEST_BUNDLE_KEPT || unlockedProducts === UNREADABLE_PRODUCTS) return;
    const lapsesAt = nextLapse === null ? Number.POSITIVE_INFINITY : fromTimestamp(nextLapse);
    const kept = this.#licenses.get(licenseKey);
    if (kept !== undefined) {
      kept.license = license;
      kept.lapsesAt = lapsesAt;
      return;
    }
    if (this.#licenses.size >= this.#maximum) {
      if (!this.#isAskedForAgain(licenseKey)) return;
      this.#makeRoom();
    }
    this.#licenses.set(licenseKey, { license, lapsesAt, isAskedFor: false });
  }

  /** Forgets licenses that a commit touched. */
  forget(licenseKeys: readonly string[]): void {
    for (const licenseKey of licenseKeys) this.#licenses.delete(licenseKey);
  }

  /** Takes one license out. There must be one. */
  #makeRoom(): void {
    let kept = this.#moveHand();
    for (let looked = 1; kept.isAskedFor && looked < MOST_LOOKED_AT; looked += 1) {
      kept.isAskedFor = false;
      kept = this.#moveHand();
    }
    this.#licenses.delete(kept.license.licenseKey);
  }

  /** The license that the hand comes to; it begins anew after the last. */
  #moveHand(): Kept {
    let next = this.#hand.next();
    if (next.done) {
      this.#hand = this.#licenses.values();
      next = this.#hand.next();
    }
    return next.value!;
  }

  /** Marks a license; true when it was marked before, or shares its mark with one that was. */
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
