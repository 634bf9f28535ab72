/**
 * Who waits for the answers of a thread: each call has a number, which the next call has again once it is answered.
 *
 * Not a Map. V8 moves a Map whose entries come and go to another table every few dozen of them, and each table left
 * behind refers to the next. Once one of them has grown old, the collector of young objects takes all that follow, with
 * every call in them, for alive: a quarter to a half of all memory that calls take was copied before it was freed.
 */
import type { Outcome } from './call.ts';

type WhenAnswered = (outcome: Outcome) => void;

export class AwaitedAnswers {
  readonly #waiting: (WhenAnswered | undefined)[] = [];
  /** Numbers below the length of `#waiting` that no call has. */
  readonly #free: number[] = [];

  /** How many calls wait. */
  get size(): number {
    return this.#waiting.length - this.#free.length;
  }

  /** Keeps who waits for an answer, and answers the call's number. */
  add(whenAnswered: WhenAnswered): number {
    const number = this.#free.pop() ?? this.#waiting.length;
    this.#waiting[number] = whenAnswered;
    return number;
  }

  /** Who waits for the answer to the call with this number, no longer kept; undefined where nobody does. */
  take(number: number): WhenAnswered | undefined {
    const whenAnswered = this.#waiting[number];
    if (whenAnswered === undefined) return undefined;
    this.#waiting[number] = undefined;
    this.#free.push(number);
    return whenAnswered;
  }
}
