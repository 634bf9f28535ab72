/** The present time for relative times on screen: one timer for all. */
import { useSyncExternalStore } from 'react';

/** Seconds between two readings of the clock. */
const STEP_SECONDS = 10;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  now = Math.max(now, Date.now());
  listeners.add(listener);
  timer ??= setInterval(tick, STEP_SECONDS * 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time in milliseconds since 1970. Its users re-render every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
