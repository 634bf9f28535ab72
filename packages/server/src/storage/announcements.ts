/** Hands the subjects of committed transactions to whoever listens: {@link Storage.onCommitted} of both engines. */
export class Announcements {
  readonly #listeners: ((subjects: readonly string[]) => void)[] = [];

  add(listener: (subjects: readonly string[]) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls every listener. The transaction is on disk by now, so a listener that throws cannot fail it any more; its
   * error surfaces as an uncaught exception, because a process that missed an announcement serves stale answers.
   */
  publish(subjects: readonly string[]): void {
    if (subjects.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(subjects);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}
