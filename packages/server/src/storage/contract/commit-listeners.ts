/**
 * Notifies listeners of the licenses that a committed transaction changed and the events that it recorded:
 * {@link Storage.onCommitted} of both engines.
 */
import type { CommitListener, RecordedChange } from './storage.ts';

export class CommitListeners {
  readonly #listeners: CommitListener[] = [];

  add(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls every listener. The transaction is on disk by now, so a listener that throws cannot fail it any more; its
   * error surfaces as an uncaught exception, because a process that missed a change serves stale answers.
   */
  notify(changedLicenseKeys: readonly string[], recorded: readonly RecordedChange[]): void {
    if (changedLicenseKeys.length === 0 && recorded.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(changedLicenseKeys, recorded);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}
