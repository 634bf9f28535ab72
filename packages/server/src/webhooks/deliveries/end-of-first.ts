/** Waits for one of several tasks. */
import { setTimeout as wait } from 'node:timers/promises';

/** Resolves when the first task ends, or after a time. */
export async function endOfFirst(tasks: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  const pause = new AbortController();
  const paused = wait(milliseconds, undefined, { signal: pause.signal }).catch(() => {});
  await Promise.race([...tasks, paused]);
  pause.abort();
}
