/**
 * Knows when PostgreSQL is away, so that nobody waits for it: a server that stands still, or a host that is gone without a
 * word, answers nothing and refuses nothing, and each call would wait until its own time is over.
 *
 * One look at regular intervals serves all calls: none has a timer. A look finds out whether anything has come from the
 * server on any connection. If nothing has while work waits, the server is asked on another connection. Slow statements and
 * rows that somebody else keeps locked are silent, too, but then that question is answered.
 */

/** When PostgreSQL counts as away; tests set other bounds. */
export interface WatchBounds {
  /** Between two looks, in milliseconds. */
  readonly lookIntervalMs: number;
  /** Looks in a row that find work and no answer, before the server is asked on another connection. */
  readonly looksUntilAsked: number;
  /** Looks in a row that find work and no answer, before the server is away. */
  readonly looksUntilAway: number;
  /** Between two questions to a server that is away, in milliseconds. */
  readonly pauseMs: number;
}

/** Looks are counted, not time: a process that stood still itself has not looked meanwhile, and blames nobody. */
export const WATCH_BOUNDS: WatchBounds = {
  lookIntervalMs: 100,
  looksUntilAsked: 5,
  looksUntilAway: 18,
  pauseMs: 100,
};

/** What is watched, and who is told. */
export interface Watched {
  /** Whether anything has come from the server since this was asked last. */
  haveAnswered(): boolean;
  /** Whether any work is under way. */
  isBusy(): boolean;
  /** Asks the server on a connection of its own: see {@link import('./postgres-probe.ts').PostgresProbe}. */
  readonly probe: { ask(): Promise<'serves' | 'refuses'>; rest(): void };
  /** Told when the server is away. */
  away(reason: string): void;
  /** Told when it is back. */
  back(): void;
}

/** See the head of this file. */
export class PostgresWatch {
  readonly #watched: Watched;
  readonly #bounds: WatchBounds;
  readonly #timer: NodeJS.Timeout;
  #silentLooks = 0;
  #isAsking = false;
  #isStopped = false;
  #awayBecause: string | null = null;

  /** Looks until it is stopped. */
  constructor(watched: Watched, bounds: WatchBounds) {
    this.#watched = watched;
    this.#bounds = bounds;
    this.#timer = setInterval(() => this.look(), bounds.lookIntervalMs);
    this.#timer.unref();
  }

  /** Why the server is known to be away; null: it is not. */
  get awayBecause(): string | null {
    return this.#awayBecause;
  }

  /** Whether nothing was answered for some looks, though work waits: it is better not to let much more wait. */
  get isSilent(): boolean {
    return this.#silentLooks >= this.#bounds.looksUntilAsked;
  }

  /** Looks once. */
  look(): void {
    if (this.#awayBecause !== null) return;
    const { haveAnswered, isBusy, probe } = this.#watched;
    if (haveAnswered() || !isBusy()) {
      this.#silentLooks = 0;
      if (!this.#isAsking) probe.rest();
      return;
    }
    this.#silentLooks += 1;
    const { looksUntilAsked, looksUntilAway, lookIntervalMs } = this.#bounds;
    if (this.#silentLooks >= looksUntilAway)
      this.setAway(
        `PostgreSQL has answered nothing for ${(looksUntilAway * lookIntervalMs) / 1000} seconds, on a new connection neither`,
      );
    else if (this.#silentLooks >= looksUntilAsked && !this.#isAsking) void this.#ask();
  }

  /** Says that the server is away. One question after the other is asked from now on until one is answered. */
  setAway(reason: string): void {
    if (this.#awayBecause !== null || this.#isStopped) return;
    this.#awayBecause = reason;
    this.#silentLooks = 0;
    this.#watched.away(reason);
    void this.#askUntilBack();
  }

  /** Looks and asks no more. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#watched.probe.rest();
  }

  /** A refusal is an answer, too. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      await this.#watched.probe.ask();
      this.#silentLooks = 0;
    } catch {
      // The next look asks again.
    } finally {
      this.#isAsking = false;
    }
  }

  async #askUntilBack(): Promise<void> {
    // What was asked before is not waited for: it may lead to a host that is not coming back.
    this.#watched.probe.rest();
    while (!this.#isStopped && !(await this.#serves())) {
      const { promise: paused, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, this.#bounds.pauseMs).unref();
      await paused;
    }
    if (this.#isStopped) return;
    this.#awayBecause = null;
    this.#watched.back();
  }

  async #serves(): Promise<boolean> {
    try {
      return (await this.#watched.probe.ask()) === 'serves';
    } catch {
      return false;
    }
  }
}
