/**
 * What time it is. The clock of a machine may be wrong by years (an empty battery), set back to stretch a grace, or set right
 * after it was wrong. So the time is counted from moments at which it was known, by how much the machine's clock moved since.
 */

/** The clocks of the machine. Replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970, as the machine believes. */
  now(): number;
  /** Milliseconds since some moment; never goes back. */
  monotonic(): number;
  /** Whether `monotonic` goes on while the machine sleeps. Then it alone tells how much time has passed. */
  readonly countsSleep: boolean;
  /** Calls an action once after so many milliseconds, without keeping the process alive. Answers how to call it off. */
  after(milliseconds: number, action: () => void): () => void;
}

/** A moment at which the time was known, and what the machine's clock showed then. Milliseconds since 1970. */
export interface Moment {
  readonly time: number;
  readonly local: number;
}

/** What is kept of the time between starts. */
export interface KnownTimes {
  /** The newest moment that the server told. */
  readonly trusted: Moment | null;
  /** A later moment that two looks at the clock, an hour or more apart, agree on. */
  readonly confirmed: Moment | null;
  /** The last look at the clock. */
  readonly seen: Moment | null;
}

export const NO_TIMES: KnownTimes = { trusted: null, confirmed: null, seen: null };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The time by a known moment: it went on as the machine's clock did, and not back when that was set back. */
function countedFrom(moment: Moment, local: number): number {
  const passed = local - moment.local;
  // Set back, by hand or because it had been ahead: how much time passed cannot be known.
  return passed >= 0 ? moment.time + passed : Math.max(moment.time, local);
}

/** The time by all that is known; the machine's clock alone where nothing is. */
export function timeBy({ trusted, confirmed }: KnownTimes, local: number): number {
  const known = [trusted, confirmed].filter((moment) => moment !== null);
  return known.length === 0 ? local : Math.max(...known.map((moment) => countedFrom(moment, local)));
}

/**
 * Takes a look at the clock. One look proves nothing: a machine without a battery may start in any year. Two looks an hour
 * apart make the earlier one a moment behind which time does not go back, until the server tells a better one.
 */
export function looked(times: KnownTimes, time: number, local: number): KnownTimes {
  const { seen } = times;
  if (seen === null || time < seen.time) return { ...times, seen: { time, local } };
  if (time - seen.time < HOUR_MS) return times;
  return { ...times, confirmed: seen, seen: { time, local } };
}

/** The server told the time; what was believed before counts no more. */
export function told(time: number, local: number): KnownTimes {
  return { trusted: { time, local }, confirmed: null, seen: null };
}

function isLater(moment: Moment | null, than: Moment | null): boolean {
  return moment !== null && (than === null || moment.time > than.time);
}

/** Tells the time in a running process. */
export class TrustedClock {
  readonly #clock: Clock;
  #times: KnownTimes = NO_TIMES;
  /** A moment of this process, by its monotonic clock. */
  #anchor: { time: number; monotonic: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes over what was kept, at first; later only what another process has learned since. */
  restore(times: KnownTimes): void {
    if (this.#anchor === null) {
      this.#times = times;
      this.#anchorAt(timeBy(times, this.#clock.now()));
      return;
    }
    const isTold = isLater(times.trusted, this.#times.trusted);
    if (!isTold && !isLater(times.confirmed, this.#times.confirmed)) return;
    const before = this.now();
    this.#times = times;
    const time = timeBy(times, this.#clock.now());
    if (isTold || time > before) this.#anchorAt(time);
  }

  /** What is to be kept. */
  get times(): KnownTimes {
    return this.#times;
  }

  /** Milliseconds since 1970. */
  now(): number {
    const local = this.#clock.now();
    if (this.#anchor === null) return timeBy(this.#times, local);
    const counted = this.#anchor.time + (this.#clock.monotonic() - this.#anchor.monotonic);
    return this.#clock.countsSleep ? counted : Math.max(counted, timeBy(this.#times, local));
  }

  /** The server told the time. */
  learn(time: number): void {
    this.#times = told(time, this.#clock.now());
    this.#anchorAt(time);
  }

  /** A genuine text was made then, so it is not earlier now. */
  atLeast(time: number): void {
    if (time > this.now()) this.learn(time);
  }

  /** Takes a look at the machine's clock, see {@link looked}. Answers whether there is something new to keep. */
  look(): boolean {
    const before = this.#times;
    this.#times = looked(before, this.now(), this.#clock.now());
    return this.#times !== before;
  }

  /** Whether the machine's clock is right, to a day. */
  get condition(): 'right' | 'behind' | 'ahead' {
    const ahead = this.#clock.now() - this.now();
    if (Math.abs(ahead) <= DAY_MS) return 'right';
    return ahead > 0 ? 'ahead' : 'behind';
  }

  #anchorAt(time: number): void {
    this.#anchor = { time, monotonic: this.#clock.monotonic() };
  }
}
