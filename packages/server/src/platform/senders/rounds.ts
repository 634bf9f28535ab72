/** The rounds of a sender in its thread: at intervals, when it is woken, and when something under way has ended. */
import { setTimeout as wait } from 'node:timers/promises';
import { elapsedMs } from '../../ground/base/clock.ts';

/**
 * Time between two rounds: several times as long as the first took, or longer the more changes it found, within these
 * bounds. A round takes 4 ms on a quiet machine, and 20 ms on one whose cores are all busy. There, fewer and larger
 * rounds leave more of the CPU to apps. On SQLite, rounds stay short even then, but many changes show that apps need
 * the CPU: from 2,000 a second on, rests grow from round to round, up to the longest. Beside full load of /activate
 * that destinations share, apps keep 0.94 of their requests instead of 0.71.
 *
 * A longer rest follows a round that found nothing to send, and delays only the events of that time. It halved the CPU
 * of the sender, from 0.08 to 0.04 of a core, beside 9,000 activations a second that matched no destination.
 */
const REST = { timesOfRound: 3, msPerChange: 0.5, leastMs: 10, leastIdleMs: 40, maxMs: 200 } as const;
/** Time before the next round after a failure of the database. */
const FAILURE_INTERVAL_MS = 1_000;

/** A task that runs in rounds. */
export interface Looking {
  /** Asks to be woken by the next news, before each round. */
  awaitNews(): void;
  /** Runs one round; returns true if the next one is due at once. */
  look(): Promise<boolean>;
  /** Number of changes that the last round found. */
  changes(): number;
  /** Resolves when something under way ends; null if nothing is. */
  ends(): Promise<void> | null;
  /** Maximum time between two rounds. */
  readonly intervalMs: number;
  /** Reports a failure, once if it repeats in every round. */
  failed(failure: string): void;
}

/** Running rounds. */
export interface Rounds {
  /** Begins the next round at once. */
  wake(): void;
  /** Resolves when the round in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Returns the minimum time between a round and the next one, in milliseconds.
 *
 * @param changes the number that the round found; 0 if more are to be read at once
 * @param isIdle true if nothing is under way after the round, and all is read
 */
export function restAfter(roundMs: number, changes: number, isIdle: boolean): number {
  const leastMs = isIdle ? REST.leastIdleMs : REST.leastMs;
  return Math.min(REST.maxMs, Math.max(leastMs, REST.timesOfRound * roundMs, REST.msPerChange * changes));
}

/** Starts the rounds. */
export function startRounds({ awaitNews, look, changes, ends, intervalMs, failed }: Looking): Rounds {
  let wake = Promise.withResolvers<void>();
  let isStopping = false;
  const run = async () => {
    let failure = '';
    while (!isStopping) {
      let isBusy = false;
      const beganAt = elapsedMs();
      // Before the look: a commit during the look may be too late for it, and then ends the pause.
      wake = Promise.withResolvers();
      awaitNews();
      try {
        isBusy = await look();
        failure = '';
      } catch (error) {
        if (String(error) !== failure) failed(String(error));
        failure = String(error);
      }
      if (isStopping) break;
      const endedAt = elapsedMs();
      const interval = failure === '' ? intervalMs : FAILURE_INTERVAL_MS;
      const ended = failure === '' ? ends() : null;
      const pause = new AbortController();
      const paused = wait(interval, undefined, { signal: pause.signal }).catch(() => {});
      if (!isBusy) await Promise.race([paused, wake.promise, ...(ended === null ? [] : [ended])]);
      pause.abort();
      // The rest counts from the end of the round, so an event after a quiet moment does not wait.
      const rest = restAfter(endedAt - beganAt, isBusy ? 0 : changes(), !isBusy && ended === null);
      const restMs = rest - (elapsedMs() - endedAt);
      if (restMs > 0) await wait(restMs);
    }
  };
  const ran = run();
  return {
    wake: () => wake.resolve(),
    async stop() {
      isStopping = true;
      wake.resolve();
      await ran;
    },
  };
}
