/** A clock that stands still between commands. */
import type { Clock } from '../src/index.ts';

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export class CommandClock implements Clock {
  readonly countsSleep: boolean;
  #now: number;
  #monotonic: number;
  #timers: Timer[] = [];

  constructor(now: number, monotonic: number, countsSleep: boolean) {
    this.#now = now;
    this.#monotonic = monotonic;
    this.countsSleep = countsSleep;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#monotonic + milliseconds, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  set(now: number, monotonic: number): void {
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** Runs every timer early, as the system does when a machine wakes. */
  wake(): void {
    for (const { action } of this.#timers.splice(0)) action();
  }

  /** Runs the timers that are due. Returns whether there were any. */
  fire(): boolean {
    const due = this.#timers.filter(({ at }) => at <= this.#monotonic);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { action } of due) action();
    return due.length > 0;
  }
}
