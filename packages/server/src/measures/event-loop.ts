/** How long the event loop of this thread keeps what is due waiting. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Measures } from './measures.ts';

const INTERVAL_MS = 1_000;
/** How often the delay is looked at: each look wakes the thread, which costs some ten microseconds. */
const RESOLUTION_MS = 50;
const NANOSECONDS = 1e9;

/**
 * Begins to measure: the longest delay of each second is one value.
 *
 * @param thread the label: which thread this is
 * @returns ends it
 */
export function measureEventLoop(measures: Measures, thread: 'main' | 'writer' | 'reader'): () => void {
  const distribution = measures.histogram('latchkey_event_loop_delay_seconds', { thread });
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const timer = setInterval(() => {
    // What is monitored is the time from one look to the next, so the time between two looks is no delay.
    if (monitor.count > 0) distribution.observe(Math.max(0, monitor.max / NANOSECONDS - RESOLUTION_MS / 1000));
    monitor.reset();
  }, INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    monitor.disable();
  };
}
