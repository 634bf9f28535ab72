/**
 * Decides whether the clock of this node is believed (rules 10.14, docs/contributors/decisions/0023). Code that removes
 * or ends anything for good asks here first: a clock that is ahead by two years for two minutes would otherwise delete
 * the whole history.
 *
 * Three clocks are compared: the wall clock of the machine; the monotonic clock, which measures the running time of
 * this process and cannot be set; and the clock of the database server, if there is one. Every minute a round compares
 * them with the last believed round, which is stored. Other stored times prove nothing, because a wrong clock may have
 * set them.
 */
import { type Clock, DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import { findNewestEventMoment } from '../../storage/migrations/schema-store.ts';
import type { JobTime } from '../jobs/job.ts';
import { findRound, findServerTime, lockRound, saveRound } from './store.ts';

declare module '../endpoint/rule-context.ts' {
  interface RuleContext {
    /** Asked before a rule removes or ends anything by time. */
    readonly believedTime: BelievedTime;
  }
}

/** The farthest that a believed clock may be from the last believed round plus the monotonic time since. */
export const FARTHEST_MS = DAY_MS;
/** Interval of rounds. */
export const ROUND_MS = MINUTE_MS;
/** The largest difference allowed between the clocks of a node and of its database server. */
export const SERVER_TOLERANCE_MS = MINUTE_MS;
/** A clock that has not jumped for this time is believed, however far it is from the last believed round. */
export const PROOF_MS = 24 * HOUR_MS;
/** A clock that moves by more than this against the monotonic clock has jumped. */
export const JUMP_MS = 10_000;
/** Jumps of up to this much in all are corrections and do not restart the 24 hours. */
const CORRECTION_MS = MINUTE_MS;
/** The time from a server that takes longer to answer is too old to compare. */
const SLOWEST_ANSWER_MS = SERVER_TOLERANCE_MS / 2;
/** A clock behind this moment is wrong: the service was written later. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** The time that the rules of calls use. */
export interface BelievedTime {
  /**
   * The time by which rules may remove or end anything for good; null while the clock is not believed. It is never
   * ahead of the last believed round plus the monotonic time since.
   *
   * @param now the time of the clock, in milliseconds since 1970
   */
  believableNow(now: number): number | null;
  /**
   * The time by which sessions, places of license files and kept replies are dated and end. While the clock is
   * believed, it is the clock's time. The monotonic time replaces a clock that jumped while the service ran.
   *
   * @param now the time of the clock, in milliseconds since 1970
   */
  sessionNow(now: number): number;
}

/**
 * The reason why a clock is not believed. `database`: the clock of the database server disagrees. `unknown`: no round
 * was possible yet.
 */
export type Doubt = 'ahead' | 'behind' | 'database' | 'unknown';

/** The state of the clock after a round. Plain data: it crosses threads. */
export interface ClockState {
  /** Null while the clock is believed. */
  readonly doubt: Doubt | null;
  /** Time of the clock at the round, in milliseconds since 1970; 0 before the first round. */
  readonly at: number;
  /** The last believed round plus the monotonic time since, as a timestamp; null if there was none. */
  readonly believedAt: string | null;
  /**
   * The moment from which the clock will be believed unless it jumps again, as a timestamp; null if it is believed
   * already, or if waiting does not help.
   */
  readonly believedFrom: string | null;
  /** Movement of the clock against the monotonic clock since the round before, in milliseconds; 0 unless it jumped. */
  readonly jumpMs: number;
}

/** The state of a clock that is believed from the start. */
export const BELIEVED: ClockState = { doubt: null, at: 0, believedAt: null, believedFrom: null, jumpMs: 0 };

/** Believes every time of a clock: for tests and scripts, which move their clocks by days. */
export function believingEvery(clock: Clock): BelievedTime & JobTime {
  return { believableNow: (now: number = clock()) => now, sessionNow: (now) => now, steadyNow: clock };
}

/** The state of a clock before anything is known of it. */
export const UNKNOWN: ClockState = { ...BELIEVED, doubt: 'unknown' };

/** A moment, with the monotonic clock's time at it. */
interface Mark {
  readonly at: number;
  readonly elapsed: number;
}

/** The last believed round as this process knows it. */
interface Round extends Mark {
  /** The stored round. A different value shows that another node or a command has stored another round. */
  readonly stored: number;
  /** Whether the time since was measured. After a stop it was not, because the length of the stop is unknown. */
  readonly isMeasured: boolean;
}

/** The clock of one process, or of one thread of it. */
export class ClockJudge implements BelievedTime, JobTime {
  readonly #clock: Clock;
  readonly #elapsedMs: () => number;
  readonly #hasServer: boolean;
  #round: Round | null = null;
  #server: Mark | null = null;
  /** The start of the agreement between the wall clock and the monotonic clock, with the wall clock's time at it. */
  #agreement: Mark;
  #last: Mark;

  /**
   * @param clock the wall clock
   * @param elapsedMs the monotonic clock
   * @param hasServer whether the database has a clock of its own, which must agree
   */
  constructor(clock: Clock, elapsedMs: () => number, hasServer: boolean) {
    this.#clock = clock;
    this.#elapsedMs = elapsedMs;
    this.#hasServer = hasServer;
    this.#agreement = this.#mark();
    this.#last = this.#agreement;
  }

  believableNow(now: number = this.#clock()): number | null {
    const expected = this.#expected();
    return expected !== null && this.#doubtOf(now, expected) === null ? Math.min(now, expected) : null;
  }

  sessionNow(now: number): number {
    const expected = this.#expected();
    if (this.#round === null || expected === null || this.#doubtOf(now, expected) === null) return now;
    if (this.#round.isMeasured) return expected;
    // The length of the stop is unknown, so the earlier of the two clocks counts: it ends less.
    return Math.max(expected, Math.min(now, this.#serverNow() ?? now));
  }

  /** A property, so that it can be passed as a clock. */
  readonly steadyNow: Clock = () => this.#serverNow() ?? this.#expected() ?? this.#clock();

  /**
   * Runs a round: compares the clocks and, if the time is believed, stores it as the last believed round. Called at
   * intervals.
   *
   * @throws as transactions do
   */
  async keepRound(storage: Storage): Promise<ClockState> {
    const jumpMs = this.#noteJump();
    await storage.transaction(async (tx) => {
      const server = await this.#askServer(tx);
      const kept = await lockRound(tx);
      const stored = await baseOf(tx, kept);
      const round = this.#judge(stored, server);
      if (round !== null && (kept === undefined || round.stored !== stored))
        await saveRound(tx, toTimestamp(round.stored));
      tx.afterwards((isCommitted) => isCommitted && this.#learn(round, server));
    });
    return this.#state(jumpMs);
  }

  /** Follows the rounds where nothing may be written: another thread of the process stores them. */
  async followRounds(storage: Storage): Promise<void> {
    this.#noteJump();
    await storage.read(async (sql) => {
      const server = await this.#askServer(sql);
      const stored = await baseOf(sql, await findRound(sql));
      const round = this.#judge(stored, server);
      this.#learn(round === null || stored === null ? null : { ...round, stored }, server);
    });
  }

  /** The state of the clock. */
  state(): ClockState {
    return this.#state(0);
  }

  #mark(): Mark {
    return { at: this.#clock(), elapsed: this.#elapsedMs() };
  }

  /** Returns the jump of the clock since the round before, in milliseconds. */
  #noteJump(): number {
    const mark = this.#mark();
    if (Math.abs(driftBetween(this.#agreement, mark)) > CORRECTION_MS) this.#agreement = mark;
    const drift = driftBetween(this.#last, mark);
    this.#last = mark;
    return Math.abs(drift) > JUMP_MS ? Math.round(drift) : 0;
  }

  async #askServer(sql: Sql): Promise<Mark | null> {
    if (!this.#hasServer) return null;
    const asked = this.#elapsedMs();
    const time = await findServerTime(sql);
    const answered = this.#elapsedMs();
    if (time === null || answered - asked > SLOWEST_ANSWER_MS) return this.#server;
    return { at: fromTimestamp(time), elapsed: (asked + answered) / 2 };
  }

  /**
   * Returns the next round; null if nothing can be believed yet. @param stored the last round; null if there is none
   */
  #judge(stored: number | null, server: Mark | null): Round | null {
    const now = this.#mark();
    const agrees = this.#agreesWith(server, now.at, now.elapsed);
    const isProven = agrees && now.at >= EARLIEST_MS && now.elapsed - this.#agreement.elapsed >= PROOF_MS;
    if (stored === null) return agrees && now.at >= EARLIEST_MS ? believed(now) : null;
    const { expected, isMeasured } = this.#expectedFrom(stored, now.elapsed);
    const deviation = Math.abs(now.at - expected);
    // While the time is measured, a jump of less than a day is not accepted as a round: sixty of them would add up to
    // two months in an hour.
    const isTaken = agrees && deviation <= (isMeasured ? CORRECTION_MS : FARTHEST_MS);
    if (isProven || isTaken) return believed(now);
    const at = Math.round(expected);
    return isMeasured
      ? { at, elapsed: now.elapsed, stored: at, isMeasured }
      : { at, elapsed: now.elapsed, stored, isMeasured };
  }

  /** Returns the expected time, by the stored round and by the measurement of this process. */
  #expectedFrom(stored: number, elapsed: number): { readonly expected: number; readonly isMeasured: boolean } {
    const known = this.#round;
    if (known === null) return { expected: stored, isMeasured: false };
    const own = momentAt(known, elapsed);
    if (known.stored === stored) return { expected: own, isMeasured: known.isMeasured };
    // Another node may have stored a round, up to a minute ago. A command may have stored one that is far from ours.
    const isOfOtherNode = known.isMeasured && Math.abs(stored - own) <= 2 * ROUND_MS;
    return { expected: isOfOtherNode ? Math.max(stored, own) : stored, isMeasured: true };
  }

  #learn(round: Round | null, server: Mark | null): void {
    this.#round = round;
    this.#server = server;
  }

  #expected(): number | null {
    return this.#round === null ? null : Math.round(momentAt(this.#round, this.#elapsedMs()));
  }

  #serverNow(): number | null {
    return this.#server === null ? null : Math.round(momentAt(this.#server, this.#elapsedMs()));
  }

  #agreesWith(server: Mark | null, now: number, elapsed: number): boolean {
    if (!this.#hasServer) return true;
    return server !== null && Math.abs(now - momentAt(server, elapsed)) <= SERVER_TOLERANCE_MS;
  }

  #doubtOf(now: number, expected: number): Doubt | null {
    if (now > expected + FARTHEST_MS) return 'ahead';
    if (now < expected - FARTHEST_MS) return 'behind';
    return !this.#hasServer || this.#agreesWith(this.#server, now, this.#elapsedMs()) ? null : 'database';
  }

  #state(jumpMs: number): ClockState {
    const now = this.#clock();
    const expected = this.#expected();
    if (expected === null) return { ...UNKNOWN, at: now, jumpMs };
    const doubt = this.#doubtOf(now, expected);
    const left = PROOF_MS - (this.#elapsedMs() - this.#agreement.elapsed);
    const helps = doubt === 'ahead' || doubt === 'behind';
    return {
      doubt,
      at: now,
      believedAt: toTimestamp(expected),
      believedFrom: helps ? toTimestamp(now + Math.max(0, Math.round(left))) : null,
      jumpMs,
    };
  }
}

/**
 * Returns the moment that the clock is first compared with: the stored round. A database without a round is new, or was
 * used by a version that stored none: then its newest event counts, so that an upgrade under a wrong clock removes
 * nothing.
 */
async function baseOf(sql: Sql, round: string | undefined): Promise<number | null> {
  const at = round ?? (await findNewestEventMoment(sql));
  return at === undefined ? null : fromTimestamp(at);
}

/** Makes a round that accepts the clock's time unchanged. */
function believed({ at, elapsed }: Mark): Round {
  return { at, elapsed, stored: at, isMeasured: true };
}

function momentAt({ at, elapsed }: Mark, now: number): number {
  return at + (now - elapsed);
}

/** Returns the movement of the wall clock against the monotonic clock between two marks. */
function driftBetween(first: Mark, second: Mark): number {
  return second.at - first.at - (second.elapsed - first.elapsed);
}
