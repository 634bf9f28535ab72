/**
 * Parts that a start opens, and their closing: when a step fails, when the start is cancelled, when the service stops.
 */
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Longest time that a failed start waits for its parts to close; then the process ends and the system frees the rest.
 */
const LONGEST_CLOSE_MS = 1_000;

/** Open parts, in the order in which they were opened. */
export class Opened {
  readonly #closers = new AsyncDisposableStack();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Opens a part, unless the start was cancelled.
   *
   * @param open leaves nothing open when it throws
   * @param close closes the part; parts that were opened later are closed first
   * @throws the error of `open`, or the reason of the signal once the start was cancelled
   */
  async part<Part>(open: () => Part | Promise<Part>, close: (part: Part) => void | Promise<void>): Promise<Part> {
    this.#signal.throwIfAborted();
    return this.#closers.adopt(await open(), close);
  }

  /**
   * Closes all parts once, the last first. A part that fails to close does not keep the others open. @throws the errors
   * of the parts
   */
  close(): Promise<void> {
    return this.#closers.disposeAsync();
  }
}

/**
 * Opens parts in sequence. When a step throws, the parts opened before it are closed.
 *
 * @param signal cancels the start before the next step
 * @param steps opens everything through {@link Opened.part}
 * @throws the error of `steps`
 */
export async function openAll<Result>(
  signal: AbortSignal,
  steps: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = new Opened(signal);
  try {
    return await steps(opened);
  } catch (error) {
    // Only the reason of the failure counts; errors while closing are ignored.
    await Promise.race([opened.close(), wait(LONGEST_CLOSE_MS, undefined, { ref: false })]).catch(() => {});
    throw error;
  }
}
