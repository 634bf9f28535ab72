/** Waits at start for a database that is not up yet, for example after a power cut, when all machines start at once. */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../../ground/base/clock.ts';
import { ConnectionLost, Unreachable } from '../postgres/postgres-errors.ts';

/** Pause between two tries. */
const PAUSE_MS = 250;

/** Limits and listeners of the wait. */
export interface DatabaseWait {
  /** Duration in milliseconds; 0 for a single try. */
  readonly waitMs: number;
  /** Ends the wait at once, even while a server accepts connections but does not answer. */
  readonly signal: AbortSignal;
  /** Called once, when the first try has failed and others follow. */
  awaited(reason: string, waitMs: number): void;
  /** Called when a later try succeeded. */
  reached(): void;
}

/**
 * Opens a database; retries while it is {@link Unreachable} and time is left.
 *
 * @param open opens the database; leaves nothing open when it fails
 * @throws the last error of `open` when time is over, or its first error if waiting would not help (a wrong password, a
 *   missing database)
 * @throws the reason of the signal; a database that `open` still opens afterwards is closed
 */
export async function openWhenReachable<T extends { close(): Promise<void> }>(
  open: () => Promise<T>,
  waiting: DatabaseWait,
): Promise<T> {
  const { waitMs, signal, awaited, reached } = waiting;
  const deadline = elapsedMs() + waitMs;
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  // Prevents an unhandled rejection while nothing awaits the promise.
  ended.promise.catch(() => {});
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    for (let tries = 1; ; tries += 1) {
      const opening = open();
      try {
        const opened = await Promise.race([opening, ended.promise]);
        if (tries > 1) reached();
        return opened;
      } catch (error) {
        if (signal.aborted) {
          opening.then((opened) => opened.close()).catch(() => {});
          throw signal.reason;
        }
        const isHopeful = error instanceof Unreachable || error instanceof ConnectionLost;
        if (!isHopeful || elapsedMs() >= deadline) throw error;
        if (tries === 1) awaited(error.message, waitMs);
      }
      await Promise.race([wait(PAUSE_MS), ended.promise]);
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}
