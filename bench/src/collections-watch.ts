/**
 * Counts the collections of young objects in the main thread of a process, which loads this file before its own. See
 * young-collections.ts.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, type PerformanceNodeEntry, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const INTERVAL_MS = 100;

const folder = process.env.BENCH_COLLECTIONS;
if (isMainThread && folder !== undefined) {
  const file = join(folder, `${process.pid}.json`);
  let count = 0;
  let milliseconds = 0;
  let written = -1;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as PerformanceNodeEntry).detail as { readonly kind: number };
      if (kind !== constants.NODE_PERFORMANCE_GC_MINOR) continue;
      count += 1;
      milliseconds += entry.duration;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  setInterval(() => {
    if (count === written) return;
    written = count;
    writeFileSync(`${file}.new`, JSON.stringify({ count, milliseconds }));
    renameSync(`${file}.new`, file);
  }, INTERVAL_MS).unref();
}
