/**
 * The present time. The machine's clock may be wrong by years (an empty battery), set back to extend a grace, or
 * corrected after it was wrong. Therefore the time counts from known moments, plus the progress of the machine's clock
 * since then.
 */

/** The clocks of the machine. Replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970, by the machine's clock. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
  /** Whether `monotonic` goes on while the machine sleeps. If so, it alone measures the elapsed time. */
  readonly countsSleep: boolean;
  /** Calls an action once after a delay, without keeping the process alive. Returns a function that cancels it. */
  after(milliseconds: number, action: () => void): () => void;
}

/** A moment with a known time, and the machine's clock at that moment. Milliseconds since 1970. */
export interface Moment {
  readonly time: number;
  readonly local: number;
}

/** The known times that are stored between starts. */
export interface KnownTimes {
  /** The newest time from the server. */
  readonly trusted: Moment | null;
  /** A later moment, confirmed by two readings of the clock at least an hour apart. */
  readonly confirmed: Moment | null;
  /** The last reading of the clock. */
  readonly seen: Moment | null;
}

export const NO_TIMES: KnownTimes = { trusted: null, confirmed: null, seen: null };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The time counted from a known moment: it advances with the machine's clock, but does not go back with it. */
function countedFrom(moment: Moment, local: number): number {
  const passed = local - moment.local;
  // The clock was set back, by hand or because it had been ahead, so the elapsed time is unknown.
  return passed >= 0 ? moment.time + passed : Math.max(moment.time, local);
}

/** The time by all known moments; the machine's clock without any. */
export function timeBy({ trusted, confirmed }: KnownTimes, local: number): number {
  const known = [trusted, confirmed].filter((moment) => moment !== null);
  return known.length === 0 ? local : Math.max(...known.map((moment) => countedFrom(moment, local)));
}

/**
 * Records a reading of the clock. One reading proves nothing: a machine without a battery may start in any year. Of two
 * readings an hour apart, the earlier one becomes a lower bound for the time, until the server sends a better one.
 */
export function looked(times: KnownTimes, time: number, local: number): KnownTimes {
  const { seen } = times;
  if (seen === null || time < seen.time) return { ...times, seen: { time, local } };
  if (time - seen.time < HOUR_MS) return times;
  return { ...times, confirmed: seen, seen: { time, local } };
}

/** The server sent the time, which replaces all earlier knowledge. */
export function serverTimes(time: number, local: number): KnownTimes {
  return { trusted: { time, local }, confirmed: null, seen: null };
}

function isLater(moment: Moment | null, than: Moment | null): boolean {
  return moment !== null && (than === null || moment.time > than.time);
}

/** The present time in a running process. */
export class TrustedClock {
  readonly #clock: Clock;
  #times: KnownTimes = NO_TIMES;
  /** A moment of this process, by its monotonic clock. */
  #anchor: { time: number; monotonic: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Restores the stored times. After the first call, takes over only later times, learned by another process. */
  restore(times: KnownTimes): void {
    if (this.#anchor === null) {
      this.#times = times;
      this.#anchorAt(timeBy(times, this.#clock.now()));
      return;
    }
    const isNewer = isLater(times.trusted, this.#times.trusted);
    if (!isNewer && !isLater(times.confirmed, this.#times.confirmed)) return;
    const before = this.now();
    this.#times = times;
    const time = timeBy(times, this.#clock.now());
    if (isNewer || time > before) this.#anchorAt(time);
  }

  /** The times to store. */
  get times(): KnownTimes {
    return this.#times;
  }

  /** Milliseconds since 1970. */
  now(): number {
    const local = this.#clock.now();
    if (this.#anchor === null) return timeBy(this.#times, local);
    const counted = this.#anchor.time + Math.floor(this.#clock.monotonic() - this.#anchor.monotonic);
    return this.#clock.countsSleep ? counted : Math.max(counted, timeBy(this.#times, local));
  }

  /** Learns the time from the server. */
  learn(time: number): void {
    this.#times = serverTimes(time, this.#clock.now());
    this.#anchorAt(time);
  }

  /** A genuine text has this time of creation, so the present time is not earlier. */
  atLeast(time: number): void {
    if (time > this.now()) this.learn(time);
  }

  /** Reads the machine's clock, see {@link looked}. Returns whether there is something new to store. */
  look(): boolean {
    const before = this.#times;
    this.#times = looked(before, this.now(), this.#clock.now());
    return this.#times !== before;
  }

  /** The machine's clock compared with the trusted time, with a tolerance of a day. */
  get condition(): 'right' | 'behind' | 'ahead' {
    const ahead = this.#clock.now() - this.now();
    if (Math.abs(ahead) <= DAY_MS) return 'right';
    return ahead > 0 ? 'ahead' : 'behind';
  }

  #anchorAt(time: number): void {
    this.#anchor = { time, monotonic: this.#clock.monotonic() };
  }
}
