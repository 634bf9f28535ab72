/**
 * Tells whoever listens which licenses a committed transaction changed: {@link Storage.onCommitted} of both engines.
 */
export class CommitListeners {
  readonly #listeners: ((changedLicenseKeys: readonly string[]) => void)[] = [];

  add(listener: (changedLicenseKeys: readonly string[]) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls every listener. The transaction is on disk by now, so a listener that throws cannot fail it any more; its
   * error surfaces as an uncaught exception, because a process that missed a change serves stale answers.
   */
  notify(changedLicenseKeys: readonly string[]): void {
    if (changedLicenseKeys.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(changedLicenseKeys);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}
