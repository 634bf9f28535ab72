/** Random choices that are the same for a seed on every machine: the names, apps and options of a random walk. */
import type { OptionsOfScenario } from './scenario.ts';

const KEYS = ['bought', 'subscribed', 'floating', 'other', 'tried'] as const;
/** The name of the key of the last trial that an app started. */
const OWN_KEY = 'own-key';

export const APPS = ['a', 'a2', 'b'] as const;

/**
 * The signing keys that builds were compiled with: all, the first one, the newest one; and the first one in a build from
 * after the theft of the second.
 */
const TRUSTS: readonly OptionsOfScenario[] = [
  { trust: true },
  { trust: 'first' },
  { trust: 'first' },
  { trust: 'newest' },
  { trust: 'first', stolenKeys: ['{second-last}'] },
];

/** A generator of numbers from 0 up to 1 (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Dice {
  readonly #random: () => number;
  readonly #options: OptionsOfScenario;
  readonly #isTrusting: boolean;
  /** Whether there are floating licenses; their heartbeats make long times slow. */
  readonly isFloating: boolean;
  /** Whether the monotonic clocks of the machines go on while they sleep. */
  readonly countsSleep: boolean;

  constructor(seed: number) {
    this.#random = numbersOf(seed);
    this.isFloating = seed % 2 === 0;
    this.countsSleep = seed % 5 !== 2;
    this.#isTrusting = seed % 3 !== 0;
    this.#options = {
      productId: '{product}',
      offlineUses: 3,
      ...(seed % 4 === 1 ? { version: '2.4.1', buildDate: '2024-01-01T00:00:00.000Z' } : {}),
      ...(this.countsSleep ? {} : { countsSleep: false }),
      ...(seed % 5 === 3 ? { reactivate: 'ask' } : {}),
      ...(seed % 8 === 4 ? { release: 'always' } : {}),
    };
  }

  /** A number from 0 up to a bound. */
  number(bound: number): number {
    return this.#random() * bound;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.number(values.length))] as Value;
  }

  /** A license that the walk makes. */
  name(): string {
    return this.one(this.isFloating ? KEYS : KEYS.filter((key) => key !== 'floating'));
  }

  /** A license of the walk, or one that the service makes for a machine. */
  anyName(): string {
    return this.one([this.name(), this.name(), this.name(), OWN_KEY]);
  }

  key(): string {
    return `{${this.name()}}`;
  }

  app(): string {
    return this.one(APPS);
  }

  machine(): string {
    return this.one(['a', 'b']);
  }

  /** The options of a build: all of a walk agree but for the signing keys that they were compiled with. */
  options(): OptionsOfScenario {
    return this.#isTrusting ? { ...this.#options, ...this.one(TRUSTS) } : this.#options;
  }
}
