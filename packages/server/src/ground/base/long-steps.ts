/** Long steps of calls on a thread that also answers short ones. */

/**
 * Starts long steps one per turn of the event loop. Several that are ready at once would otherwise run in one turn, and
 * every short call would wait for their sum at each of its own steps.
 */
export class LongSteps {
  /** In order of arrival. */
  readonly #waiting: (() => void)[] = [];

  /** Resolves when the next long step may run: in a later turn, and in a turn of its own. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
