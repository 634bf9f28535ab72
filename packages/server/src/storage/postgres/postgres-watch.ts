/**
 * Detects that PostgreSQL is away, so that calls fail early. A frozen server or a vanished host neither answers nor
 * refuses, and each call would wait until its own timeout.
 *
 * One periodic check serves all calls: none has its own timer. A check looks for bytes from the server on any
 * connection. If none came while work waits, the server is probed on another connection. Slow statements and waits for
 * row locks are silent, too, but then the probe is answered.
 */

import { elapsedMs } from '../../ground/base/clock.ts';

/** Bounds after which PostgreSQL counts as away; tests set others. */
export interface WatchBounds {
  /** Interval between two checks, in milliseconds. */
  readonly lookIntervalMs: number;
  /** Consecutive checks with work but no answer, before the server is probed on another connection. */
  readonly looksUntilAsked: number;
  /** Consecutive checks with work but no answer, before the server counts as away. */
  readonly looksUntilAway: number;
  /** Pause between two probes of a server that is away, in milliseconds. */
  readonly pauseMs: number;
}

/** Counts checks instead of time: a process that was itself frozen ran no checks, and does not blame the server. */
export const WATCH_BOUNDS: WatchBounds = {
  lookIntervalMs: 100,
  looksUntilAsked: 5,
  looksUntilAway: 18,
  pauseMs: 100,
};

/** The watched connections and their listener. */
export interface Watched {
  /** Whether the server has sent anything since the last call. */
  haveAnswered(): boolean;
  /** Whether any work is under way. */
  isBusy(): boolean;
  /** Probes the server on a separate connection: see {@link import('./postgres-probe.ts').PostgresProbe}. */
  readonly probe: { ask(): Promise<'serves' | 'refuses'>; rest(): void };
  /** Called when the server is away. */
  away(reason: string): void;
  /** Called when the server is back. */
  back(): void;
}

/** See the head of this file. */
export class PostgresWatch {
  readonly #watched: Watched;
  readonly #bounds: WatchBounds;
  readonly #elapsedMs: () => number;
  readonly #timer: NodeJS.Timeout;
  #silentLooks = 0;
  /** Time of the last check that was not silent. */
  #answeredAt: number;
  #isAsking = false;
  #isStopped = false;
  #awayBecause: string | null = null;

  /**
   * Checks periodically until {@link stop}.
   *
   * @param elapsed milliseconds of a clock that never jumps
   */
  constructor(watched: Watched, bounds: WatchBounds, elapsed: () => number = elapsedMs) {
    this.#watched = watched;
    this.#bounds = bounds;
    this.#elapsedMs = elapsed;
    this.#answeredAt = elapsed();
    this.#timer = setInterval(() => this.look(), bounds.lookIntervalMs);
    this.#timer.unref();
  }

  /** The reason why the server counts as away; null if it does not. */
  get awayBecause(): string | null {
    return this.#awayBecause;
  }

  /**
   * Whether several checks in a row found work but no answer: little more work should be admitted. In a process that is
   * too busy to check on time, two checks and the time of several are enough; otherwise calls would pile up meanwhile.
   */
  get isSilent(): boolean {
    const { looksUntilAsked, lookIntervalMs } = this.#bounds;
    if (this.#silentLooks >= looksUntilAsked) return true;
    return this.#silentLooks >= 2 && this.#elapsedMs() - this.#answeredAt >= looksUntilAsked * lookIntervalMs;
  }

  /** Runs one check. */
  look(): void {
    if (this.#awayBecause !== null) return;
    const { haveAnswered, isBusy, probe } = this.#watched;
    if (haveAnswered() || !isBusy()) {
      this.#silentLooks = 0;
      this.#answeredAt = this.#elapsedMs();
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

  /** Marks the server as away. Probes it again and again until it serves. */
  setAway(reason: string): void {
    if (this.#awayBecause !== null || this.#isStopped) return;
    this.#awayBecause = reason;
    this.#silentLooks = 0;
    this.#watched.away(reason);
    void this.#askUntilBack();
  }

  /** Ends all checks and probes. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#watched.probe.rest();
  }

  /** Probes a silent server. A refusal counts as an answer. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      await this.#watched.probe.ask();
      this.#silentLooks = 0;
      this.#answeredAt = this.#elapsedMs();
    } catch {
      // The next check probes again.
    } finally {
      this.#isAsking = false;
    }
  }

  async #askUntilBack(): Promise<void> {
    // Aborts an earlier probe: its host may never come back.
    this.#watched.probe.rest();
    while (!this.#isStopped && !(await this.#serves())) {
      const { promise: paused, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, this.#bounds.pauseMs).unref();
      await paused;
    }
    if (this.#isStopped) return;
    this.#awayBecause = null;
    this.#answeredAt = this.#elapsedMs();
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
