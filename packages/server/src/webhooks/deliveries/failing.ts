/**
 * Failing and coming back of one destination (rules 12.4). It fails for one of two reasons, or for both:
 * - It is backed off: its receiver is away or refuses everything, so that few requests are made.
 * - It is full: so many refused events wait for another attempt that the feed is not read for it. Requests are made as
 *   usual.
 */
import { isFull, type Progress } from '../destinations/destination.ts';
import type { Mutable } from './pending.ts';
import { FAILURES_IN_A_ROW, isAlarmDue, nextTryAt } from './schedule.ts';

/** The moment of a failed request. */
export interface FailureMoment {
  /** The number of the last request that has begun. */
  readonly last: number;
  readonly now: number;
  readonly random: number;
}

export class Failing {
  /** Changed in place. */
  readonly #progress: Mutable<Progress>;
  #isFull: boolean;
  #failedInARow: string[] = [];
  /** Requests up to this number began before the back-off, so their results are not news. */
  #failedAtNumber = 0;
  #isAlarmed = false;

  constructor(progress: Mutable<Progress>) {
    this.#progress = progress;
    this.#isFull = isFull(progress);
  }

  /** True if it fails for any reason. */
  get isOn(): boolean {
    return this.#progress.failingSince !== null;
  }
  get isFull(): boolean {
    return this.#isFull;
  }
  get isBackedOff(): boolean {
    return this.isOn && this.#progress.failures > 0;
  }

  /** Returns true if the result of a request is news: it began after the back-off did. */
  isNews(number: number): boolean {
    return number > this.#failedAtNumber;
  }

  /** Notes a failure, and raises the alarm if one has come due since the last failure. */
  noteFailure(now: number): void {
    const progress = this.#progress;
    if (this.#isAlarmDue(now)) this.#isAlarmed = true;
    progress.lastFailureAt = now;
  }

  /** Notes a refused event; returns true if so many were refused in a row that the destination is in trouble. */
  noteRefused(eventId: string): boolean {
    this.#failedInARow.push(eventId);
    return this.#failedInARow.length >= FAILURES_IN_A_ROW && new Set(this.#failedInARow).size > 1;
  }

  noteDelivered(): void {
    this.#failedInARow = [];
  }

  /** Begins or lengthens the back-off. */
  backOff(retryAfterMs: number | undefined, { last, now, random }: FailureMoment): void {
    const progress = this.#progress;
    this.#failedAtNumber = last;
    progress.failingSince ??= now;
    progress.failures += 1;
    progress.nextTryAt = nextTryAt(progress.failures, now, random, retryAfterMs);
  }

  /** Ends the back-off. Returns true if the destination has failed and fails no longer. */
  endBackOff(): boolean {
    const progress = this.#progress;
    const wasOn = this.isOn;
    progress.failures = 0;
    progress.nextTryAt = null;
    this.#failedInARow = [];
    if (!this.#isFull) progress.failingSince = null;
    return wasOn && !this.isOn;
  }

  /** Forgets all failures, because a person has resumed the destination. */
  forget(): void {
    this.#isFull = false;
    this.endBackOff();
  }

  /**
   * Notes whether the destination is full. One that was stays so until it has read the whole feed again: each settled
   * delivery makes room for another event, which may be refused as well.
   *
   * @param isBehind true if there is more to read
   * @param isAtLimit true if as many deliveries wait as may
   * @returns true if the progress has changed
   */
  watchFull(isBehind: boolean, isAtLimit: boolean, now: number): boolean {
    const progress = this.#progress;
    const wasFull = this.#isFull;
    const { failingSince } = progress;
    this.#isFull = isBehind && (wasFull || isAtLimit);
    if (this.#isFull) progress.failingSince ??= now;
    else if (wasFull && !this.isBackedOff) progress.failingSince = null;
    // The attempts of the waiting deliveries may be hours apart.
    const isDue = this.#isFull && this.#isAlarmDue(now);
    if (isDue) this.noteFailure(now);
    return isDue || progress.failingSince !== failingSince;
  }

  /** Returns the alarm to raise, once; null without one. */
  takeAlarm(): { readonly isFull: boolean } | null {
    const alarm = this.#isAlarmed ? { isFull: this.#isFull } : null;
    this.#isAlarmed = false;
    return alarm;
  }

  #isAlarmDue(now: number): boolean {
    const { failingSince, lastFailureAt } = this.#progress;
    return failingSince !== null && isAlarmDue(failingSince, lastFailureAt ?? failingSince, now);
  }
}
