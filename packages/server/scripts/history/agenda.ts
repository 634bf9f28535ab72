/**
 * What is to happen at which moment of the history. Things happen in the order of their moments, but those of some minutes
 * may be under way together, so that a quarter of a year takes a minute. What is of one lane (a license, an order) happens
 * one after the other, so that the outcome does not depend on how quickly the service answers.
 */
import { MINUTE_MS } from '../../src/clock.ts';

/** Things that are this far apart are never under way together, in milliseconds of the history. */
const TOGETHER_MS = 25 * MINUTE_MS;
/** Things that may be under way at once. */
const MOST_UNDER_WAY = 64;

/** Something that happens; it may put further things on the agenda. What is too late by then happens at once. */
export type Happening = (at: number) => Promise<void>;

interface Entry {
  readonly at: number;
  readonly lane: string;
  readonly happen: Happening;
}

export class Agenda {
  /** By falling moment, so that the next is at the end. */
  readonly #entries: Entry[] = [];
  /** What is under way, in the order of the moments. */
  readonly #underWay = new Map<Promise<void>, number>();
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #end: number;
  #failure: unknown;

  /** @param end what would happen after this moment is left out */
  constructor(end: number) {
    this.#end = end;
  }

  /** The moment at which the history ends. */
  get end(): number {
    return this.#end;
  }

  /** Puts something on the agenda. */
  plan(at: number, lane: string, happen: Happening): void {
    if (at > this.#end) return;
    const entry = { at, lane, happen };
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(entry, this.#entries[middle] as Entry)) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }

  /**
   * Lets everything happen that is to happen until a moment.
   *
   * @param turnTo sets the clock, which never goes back
   * @throws what the first thing throws that fails
   */
  async run(until: number, turnTo: (at: number) => void): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const next = this.#entries.at(-1);
      if (next !== undefined && next.at <= until && this.#hasRoomFor(next)) {
        this.#entries.pop();
        turnTo(next.at);
        this.#begin(next);
      } else if (this.#underWay.size > 0) await Promise.race(this.#underWay.keys());
      else return;
    }
  }

  #hasRoomFor({ at }: Entry): boolean {
    const [oldest = at] = this.#underWay.values();
    return this.#underWay.size < MOST_UNDER_WAY && at - oldest < TOGETHER_MS;
  }

  #begin({ at, lane, happen }: Entry): void {
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const done = before
      .then(() => happen(at))
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#underWay.delete(done);
        if (this.#lanes.get(lane) === done) this.#lanes.delete(lane);
      });
    this.#lanes.set(lane, done);
    this.#underWay.set(done, at);
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.lane < other.lane);
}
