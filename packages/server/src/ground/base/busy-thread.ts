/** Detects that this thread is the bottleneck. */
import { elapsedMs, workedMs } from './clock.ts';

/** Shortest time over which the utilization is taken: several long reads, and ten ticks of a moderately busy thread. */
const WINDOW_MS = 50;
/** Utilization above which a thread counts as busy. */
const BUSY = 0.8;

/**
 * Makes a function that tells whether the event loop of this thread spent most of the last window working. The verdict
 * is taken when the function is called, so a thread whose verdict nobody needs does nothing.
 *
 * @param clock milliseconds since an arbitrary moment
 * @param worked milliseconds that the event loop has worked since an arbitrary moment
 */
export function busyThread(clock: () => number = elapsedMs, worked: () => number = workedMs): () => boolean {
  let since = clock();
  let workedBefore = worked();
  let isBusy = false;
  return () => {
    const now = clock();
    if (now - since < WINDOW_MS) return isBusy;
    const workedNow = worked();
    isBusy = workedNow - workedBefore > BUSY * (now - since);
    since = now;
    workedBefore = workedNow;
    return isBusy;
  };
}
