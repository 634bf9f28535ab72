/** Runs work until it is closed, and then waits for the work under way. */
export class WorkUnderWay {
  #underWay = 0;
  #isClosed = false;
  #onEmpty: (() => void) | undefined;

  /** Whether nothing is under way. */
  get isEmpty(): boolean {
    return this.#underWay === 0;
  }

  /** Runs `work`. @throws after {@link close} */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error('the database is closed');
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onEmpty?.();
    }
  }

  /** Refuses new work; resolves when no work is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
  }
}
