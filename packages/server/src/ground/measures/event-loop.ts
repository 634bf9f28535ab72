/** Measures the delay of this thread's event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Measures } from './measures.ts';
import { NODE_METRICS } from './node-metrics.ts';

const INTERVAL_MS = 1_000;
/** Sampling interval of the delay: each sample wakes the thread, which costs about ten microseconds. */
const RESOLUTION_MS = 50;
const NANOSECONDS = 1e9;

/**
 * Starts to measure: the longest delay of each second is one value.
 *
 * @param thread the label of this thread
 * @returns a function that stops
 */
export function measureEventLoop(measures: Measures, thread: 'main' | 'writer' | 'reader'): () => void {
  const distribution = measures.histogram(NODE_METRICS.latchkey_event_loop_delay_seconds, { thread });
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const timer = setInterval(() => {
    // The monitor measures the time between samples, so the sampling interval itself is subtracted.
    if (monitor.count > 0) distribution.observe(Math.max(0, monitor.max / NANOSECONDS - RESOLUTION_MS / 1000));
    monitor.reset();
  }, INTERVAL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    monitor.disable();
  };
}
