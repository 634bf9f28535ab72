/** The timer of all work that is done at intervals. */

/**
 * Runs an action at intervals, never beside itself, until stopped. It does not keep the process running.
 *
 * @param run must not reject
 * @param isAtStart true if the first run is now, not an interval later
 * @returns a function that stops; it resolves when the run in progress has ended
 */
export function repeat(every: number, run: () => Promise<unknown>, isAtStart = false): () => Promise<void> {
  let underWay: Promise<unknown> | null = null;
  const start = () => {
    underWay ??= run().finally(() => (underWay = null));
  };
  if (isAtStart) start();
  const timer = setInterval(start, every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
