/** Deterministic random numbers: the same seed gives the same sequence. */
import { createHash } from 'node:crypto';

/** A source of random numbers. */
export class Random {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** Another source, which depends only on the seed and the name, and not on earlier numbers. */
  of(name: string): Random {
    return new Random(`${this.#seed} ${name}`);
  }

  /** A number from 0 to 1, exclusive (mulberry32 generator). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A number between two bounds. */
  between(least: number, most: number): number {
    return least + this.number() * (most - least);
  }

  /** A whole number from `least` to `most`, inclusive. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** True with the given probability: 0.25 is one time in four. */
  isTrue(share: number): boolean {
    return this.number() < share;
  }

  /** A random element of a non-empty list. */
  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)] as T;
  }

  /** A random element of a list, by weight. */
  weighted<T>(list: readonly T[], weightOf: (each: T) => number): T {
    let rest = this.number() * list.reduce((sum, each) => sum + weightOf(each), 0);
    for (const each of list) {
      rest -= weightOf(each);
      if (rest < 0) return each;
    }
    return list.at(-1) as T;
  }

  /** Up to `count` distinct elements of a list, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.whole(0, left.length - 1), 1));
    return taken;
  }

  /** A random text of this length from an alphabet. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.whole(0, alphabet.length - 1)]).join('');
  }
}
