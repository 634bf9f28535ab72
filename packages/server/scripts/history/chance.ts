/** Chance that comes out the same each time: whoever begins with the same seed draws the same. */
import { createHash } from 'node:crypto';

/** A source of chance. */
export class Chance {
  readonly #seed: string;
  #state: number;

  constructor(seed: string) {
    this.#seed = seed;
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** Another source, which depends on the seed and the name alone: not on what was drawn here before. */
  of(name: string): Chance {
    return new Chance(`${this.#seed} ${name}`);
  }

  /** A number from 0 up to, not including, 1 (the generator mulberry32). */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A number between two others. */
  between(least: number, most: number): number {
    return least + this.number() * (most - least);
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  /** True as often as the share says: 0.25 is once in four times. */
  isTrue(share: number): boolean {
    return this.number() < share;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)] as T;
  }

  /** One of a list, as often as its weight says. */
  weighted<T>(list: readonly T[], weightOf: (each: T) => number): T {
    let rest = this.number() * list.reduce((sum, each) => sum + weightOf(each), 0);
    for (const each of list) {
      rest -= weightOf(each);
      if (rest < 0) return each;
    }
    return list.at(-1) as T;
  }

  /** Some of a list, each once, in any order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.whole(0, left.length - 1), 1));
    return taken;
  }

  /** So many characters of an alphabet. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.whole(0, alphabet.length - 1)]).join('');
  }
}
