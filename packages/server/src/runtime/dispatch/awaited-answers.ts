/**
 * Callbacks waiting for a thread's replies. Each call has a number, which is reused once the call is answered.
 *
 * Not a Map: V8 moves a Map whose entries come and go to another table every few dozen changes, and each abandoned
 * table refers to the next. Once one of these tables reaches the old generation, the young-generation collector keeps
 * all its successors alive, with every call in them. A quarter to a half of the memory of all calls was copied before
 * it was freed.
 */
import type { Outcome } from '../../platform/endpoint/outcome.ts';

type WhenAnswered = (outcome: Outcome) => void;

export class AwaitedAnswers {
  readonly #waiting: (WhenAnswered | undefined)[] = [];
  /** Unused numbers below the length of `#waiting`. */
  readonly #free: number[] = [];

  /** Number of waiting calls. */
  get size(): number {
    return this.#waiting.length - this.#free.length;
  }

  /** Stores a callback and returns the call's number. */
  add(whenAnswered: WhenAnswered): number {
    const number = this.#free.pop() ?? this.#waiting.length;
    this.#waiting[number] = whenAnswered;
    return number;
  }

  /** Removes and returns the callback of the call with this number; undefined if nobody waits for it. */
  take(number: number): WhenAnswered | undefined {
    const whenAnswered = this.#waiting[number];
    if (whenAnswered === undefined) return undefined;
    this.#waiting[number] = undefined;
    this.#free.push(number);
    return whenAnswered;
  }
}
