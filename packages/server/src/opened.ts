/** What a start opens, and how all of it is closed again: when a step fails, when the start is ended, when the service stops. */
import { setTimeout as wait } from 'node:timers/promises';

/** A failed start waits so long for what it closes; the process ends then, and the system takes back the rest. */
const LONGEST_CLOSE_MS = 1_000;

/** Parts that are open, in the order in which they were opened. */
export class Opened {
  readonly #closers = new AsyncDisposableStack();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Opens a part, unless the start was ended.
   *
   * @param open leaves nothing open where it throws
   * @param close undoes it; parts that were opened later are closed before
   * @throws what `open` throws; the reason of the signal once the start was ended
   */
  async part<Part>(open: () => Part | Promise<Part>, close: (part: Part) => void | Promise<void>): Promise<Part> {
    this.#signal.throwIfAborted();
    return this.#closers.adopt(await open(), close);
  }

  /** Closes all parts, the last first; once. A part that cannot be closed keeps no other open. @throws what a part threw */
  close(): Promise<void> {
    return this.#closers.disposeAsync();
  }
}

/**
 * Opens parts one after the other. Where a step throws, those before it are closed again.
 *
 * @param signal ends it before the next step
 * @param steps opens everything through {@link Opened.part}
 * @throws what `steps` throws
 */
export async function openAll<Result>(
  signal: AbortSignal,
  steps: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = new Opened(signal);
  try {
    return await steps(opened);
  } catch (error) {
    // The reason of the failure is what counts, whatever comes of the closing.
    await Promise.race([opened.close(), wait(LONGEST_CLOSE_MS, undefined, { ref: false })]).catch(() => {});
    throw error;
  }
}
