/**
 * Whether the clock of this node may be believed (rules 10.14, docs/decisions/0023). What removes something for good, or ends
 * it, asks here first: a clock that is ahead by two years for two minutes would otherwise take the whole history.
 *
 * Three clocks are compared. The wall clock is what the machine says. The monotonic clock tells how long this process has
 * run, and nobody can set it. The clock of the database server counts where there is one. Every minute a round compares them
 * with the last believed round, which is stored. What else is stored proves nothing: a wrong clock may have dated it.
 */
import { type Clock, DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../clock.ts';
import { findNewestEventMoment } from '../storage/schema-store.ts';
import type { Sql, Storage } from '../storage/storage.ts';
import { findRound, findServerTime, lockRound, saveRound } from './store.ts';

/** A clock is believed at most so far from the last believed round and the monotonic time since. */
export const FARTHEST_MS = DAY_MS;
/** How often a round is kept. */
export const ROUND_MS = MINUTE_MS;
/** The clocks of a node and of its database server may be so far apart. */
export const SERVER_TOLERANCE_MS = MINUTE_MS;
/** After so long without a jump a clock is believed, however far it is from the last believed round. */
export const PROOF_MS = 24 * HOUR_MS;
/** A clock that moves by more than this against the monotonic clock has jumped. */
export const JUMP_MS = 10_000;
/** Jumps up to this in all are corrections, and do not begin the 24 hours anew. */
const CORRECTION_MS = MINUTE_MS;
/** A server that takes longer to answer has told a time that is too old to compare. */
const SLOWEST_ANSWER_MS = SERVER_TOLERANCE_MS / 2;
/** No clock that is behind this moment is right: the service was written later. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** What the rules of calls ask. */
export interface BelievedTime {
  /**
   * The time by which things may be removed or ended for good; null while the clock is not believed. Never ahead of the last
   * believed round and the monotonic time since.
   *
   * @param now what the clock says, in milliseconds since 1970
   */
  believableNow(now: number): number | null;
  /**
   * The time by which sessions, places of license files and kept answers are dated and end. It is the clock's as long as it is
   * believed. A clock that jumped while the service ran is replaced by the monotonic time.
   *
   * @param now what the clock says, in milliseconds since 1970
   */
  sessionNow(now: number): number;
}

/** What jobs ask, which have no call that brings a time along. Milliseconds since 1970. */
export interface JobTime {
  /** As {@link BelievedTime.believableNow}, of this moment. */
  believableNow(): number | null;
  /** The time by which leases are taken and kept: it goes on evenly, whatever the clock does. */
  readonly steadyNow: Clock;
}

/** Why a clock is not believed. `database`: the clock of the database server disagrees. `unknown`: no round was possible yet. */
export type Doubt = 'ahead' | 'behind' | 'database' | 'unknown';

/** What is known of the clock after a round. Plain data: it crosses threads. */
export interface ClockState {
  /** Null while the clock is believed. */
  readonly doubt: Doubt | null;
  /** The last believed round with the monotonic time since, as a timestamp; null: there was none. */
  readonly believedAt: string | null;
  /** When the clock will be believed by itself unless it jumps again, as a timestamp; null: it is, or waiting does not help. */
  readonly believedFrom: string | null;
  /** How far the clock has moved against the monotonic clock since the round before, in milliseconds; 0 unless it jumped. */
  readonly jumpMs: number;
}

/** The state of a clock that is believed from the start. */
export const BELIEVED: ClockState = { doubt: null, believedAt: null, believedFrom: null, jumpMs: 0 };

/** Believes whatever a clock says: for tests and scripts, which move their clocks by days. */
export function believingEvery(clock: Clock): BelievedTime & JobTime {
  return { believableNow: (now: number = clock()) => now, sessionNow: (now) => now, steadyNow: clock };
}

/** The state of a clock of which nothing is known yet. */
export const UNKNOWN: ClockState = { ...BELIEVED, doubt: 'unknown' };

/** A moment, and what the monotonic clock said at it. */
interface Mark {
  readonly at: number;
  readonly elapsed: number;
}

/** The last believed round as this process knows it. */
interface Round extends Mark {
  /** What is stored; it tells when another node or a command has stored another round. */
  readonly stored: number;
  /** Whether the time since was measured. After a stop it was not: how long the stop lasted nobody knows. */
  readonly isMeasured: boolean;
}

/** The clock of one process, or of one thread of it. */
export class ClockJudge implements BelievedTime, JobTime {
  readonly #clock: Clock;
  readonly #elapsedMs: () => number;
  readonly #hasServer: boolean;
  #round: Round | null = null;
  #server: Mark | null = null;
  /** Since when the wall clock agrees with the monotonic clock, and where it was then. */
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
    // How long the service was stopped is unknown: it ends less by the clock that is behind the other.
    return Math.max(expected, Math.min(now, this.#serverNow() ?? now));
  }

  /** A property, so that it can be handed on as a clock. */
  readonly steadyNow: Clock = () => this.#serverNow() ?? this.#expected() ?? this.#clock();

  /**
   * A round: compares the clocks, and keeps the time as the last believed round where it is believed. Called at intervals.
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

  /** The same where nothing may be written: another thread of the process keeps the rounds. */
  async followRounds(storage: Storage): Promise<void> {
    this.#noteJump();
    await storage.read(async (sql) => {
      const server = await this.#askServer(sql);
      const stored = await baseOf(sql, await findRound(sql));
      const round = this.#judge(stored, server);
      this.#learn(round === null || stored === null ? null : { ...round, stored }, server);
    });
  }

  /** What is known of the clock. */
  state(): ClockState {
    return this.#state(0);
  }

  #mark(): Mark {
    return { at: this.#clock(), elapsed: this.#elapsedMs() };
  }

  /** Answers by how much the clock has jumped since the round before. */
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

  /** The round after this one; null where nothing can be believed yet. @param stored the last one, null: there is none */
  #judge(stored: number | null, server: Mark | null): Round | null {
    const now = this.#mark();
    const agrees = this.#agreesWith(server, now.at, now.elapsed);
    const isProven = agrees && now.at >= EARLIEST_MS && now.elapsed - this.#agreement.elapsed >= PROOF_MS;
    if (stored === null) return agrees && now.at >= EARLIEST_MS ? believed(now) : null;
    const { expected, isMeasured } = this.#expectedFrom(stored, now.elapsed);
    const lead = Math.abs(now.at - expected);
    // While the time is measured a jump below a day is no new round: sixty of them would be two months in an hour.
    const isTaken = agrees && lead <= (isMeasured ? CORRECTION_MS : FARTHEST_MS);
    if (isProven || isTaken) return believed(now);
    const at = Math.round(expected);
    return isMeasured
      ? { at, elapsed: now.elapsed, stored: at, isMeasured }
      : { at, elapsed: now.elapsed, stored, isMeasured };
  }

  /** What the time should be now, by the stored round and by what this process measured. */
  #expectedFrom(stored: number, elapsed: number): { readonly expected: number; readonly isMeasured: boolean } {
    const known = this.#round;
    if (known === null) return { expected: stored, isMeasured: false };
    const own = momentAt(known, elapsed);
    if (known.stored === stored) return { expected: own, isMeasured: known.isMeasured };
    // Another node has kept a round since, up to a minute ago. A command may have kept one that is far from our own.
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
    return this.#agreesWith(this.#server, now, this.#elapsedMs()) ? null : 'database';
  }

  #state(jumpMs: number): ClockState {
    const now = this.#clock();
    const expected = this.#expected();
    if (expected === null) return { ...UNKNOWN, jumpMs };
    const doubt = this.#doubtOf(now, expected);
    const left = PROOF_MS - (this.#elapsedMs() - this.#agreement.elapsed);
    const helps = doubt === 'ahead' || doubt === 'behind';
    return {
      doubt,
      believedAt: toTimestamp(expected),
      believedFrom: helps ? toTimestamp(now + Math.max(0, Math.round(left))) : null,
      jumpMs,
    };
  }
}

/**
 * The base of all that is believed. A database without a round is new, or was served by a version that kept none: its newest
 * event is the base, so that an upgrade under a wrong clock removes nothing.
 */
async function baseOf(sql: Sql, round: string | undefined): Promise<number | null> {
  const at = round ?? (await findNewestEventMoment(sql));
  return at === undefined ? null : fromTimestamp(at);
}

/** A round at which the clock is taken at its word. */
function believed({ at, elapsed }: Mark): Round {
  return { at, elapsed, stored: at, isMeasured: true };
}

function momentAt({ at, elapsed }: Mark, now: number): number {
  return at + (now - elapsed);
}

/** How far the wall clock moved against the monotonic clock between two marks. */
function driftBetween(first: Mark, second: Mark): number {
  return second.at - first.at - (second.elapsed - first.elapsed);
}
