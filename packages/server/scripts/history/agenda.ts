/**
 * The schedule of the history. Events run in the order of their times, but those within some minutes may overlap, so
 * that a quarter of a year takes a minute. Events of one lane (a license, an order) run one after another, and events
 * that look at all licenses run alone, so that the outcome does not depend on the speed of the service.
 */
import { MINUTE_MS } from '../../src/ground/base/clock.ts';

/** Events this far apart never overlap, in milliseconds of the history. */
const TOGETHER_MS = 25 * MINUTE_MS;
/** Maximum number of concurrent events. */
const MAX_UNDER_WAY = 64;

/** A scheduled event, which may schedule further events. One whose time has passed runs at once. */
export type Happening = (at: number) => Promise<void>;

interface Entry {
  readonly at: number;
  readonly lane: string;
  readonly happen: Happening;
  /** Whether all earlier events end before this one begins, and no later one begins before it ends. */
  readonly isAlone: boolean;
}

export class Agenda {
  /** Sorted by descending time, so that the next one is at the end. */
  readonly #entries: Entry[] = [];
  /** Running events, in the order of their times. */
  readonly #underWay = new Map<Promise<void>, number>();
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #end: number;
  #isAlone = false;
  #failure: unknown;

  /** @param end events after this time are dropped */
  constructor(end: number) {
    this.#end = end;
  }

  /** The end of the history. */
  get end(): number {
    return this.#end;
  }

  /** Schedules an event. */
  plan(at: number, lane: string, happen: Happening): void {
    this.#add({ at, lane, happen, isAlone: false });
  }

  /** Schedules an event that looks at more than its own lane. */
  planAlone(at: number, lane: string, happen: Happening): void {
    this.#add({ at, lane, happen, isAlone: true });
  }

  /** The service reads the time of an event from its clock, which counts whole milliseconds. */
  #add({ at, ...planned }: Entry): void {
    const entry = { ...planned, at: Math.round(at) };
    if (entry.at > this.#end) return;
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(entry, this.#entries[middle] as Entry)) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }

  /**
   * Runs all events up to a time.
   *
   * @param turnTo sets the clock, which never goes back
   * @throws the first error of an event
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

  #hasRoomFor({ at, isAlone }: Entry): boolean {
    if (this.#underWay.size === 0) return true;
    if (isAlone || this.#isAlone) return false;
    const [oldest = at] = this.#underWay.values();
    return this.#underWay.size < MAX_UNDER_WAY && at - oldest < TOGETHER_MS;
  }

  #begin({ at, lane, happen, isAlone }: Entry): void {
    this.#isAlone = isAlone;
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
