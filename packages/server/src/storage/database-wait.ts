/** Waits at the start for a database that is not there yet, as after a power cut when everything starts at once. */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../clock.ts';
import { ConnectionLost, Unreachable } from './postgres-errors.ts';

/** Between two tries. */
const PAUSE_MS = 250;

/** For how long to wait, and who is told of it. */
export interface DatabaseWait {
  /** How long to go on trying, in milliseconds; 0: there is one try. */
  readonly waitMs: number;
  /** Ends the waiting at once, also for a server that accepts connections and says nothing. */
  readonly signal: AbortSignal;
  /** Told once, when the first try has failed and others will follow. */
  awaited(reason: string, waitMs: number): void;
  /** Told when the database was there after all. */
  reached(): void;
}

/**
 * Opens a database, again and again while it is {@link Unreachable} and time is left.
 *
 * @param open opens it; leaves nothing open when it fails
 * @throws what `open` throws: the last time when time is over, at once when waiting would not help (a wrong password, a
 *   database that does not exist)
 * @throws the reason of the signal; what `open` still opens then is closed
 */
export async function openWhenReachable<T extends { close(): Promise<void> }>(
  open: () => Promise<T>,
  waiting: DatabaseWait,
): Promise<T> {
  const { waitMs, signal, awaited, reached } = waiting;
  const deadline = elapsedMs() + waitMs;
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  // Nobody may be waiting for it at the moment.
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
