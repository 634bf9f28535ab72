/** Runs a round of the clock every minute, or follows the rounds of another thread. */
import { type Clock, elapsedMs, fromTimestamp, systemClock, toTimestamp } from '../../ground/base/clock.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import { repeat } from '../jobs/repeat.ts';
import { ClockJudge, type ClockState, ROUND_MS, SERVER_TOLERANCE_MS, UNKNOWN } from './believed-time.ts';
import { findServerTime, lockRound, saveRound } from './store.ts';

/** Judges the clock of a command, which is too short for rounds, by the last round of a service. */
export async function judgeOnce(storage: Storage, clock: Clock = systemClock): Promise<ClockJudge> {
  const judge = new ClockJudge(clock, elapsedMs, storage.engine === 'postgres');
  await judge.followRounds(storage);
  return judge;
}

/**
 * Stores the time of this machine's clock as the last believed round, however far it is from the one before, because an
 * operator has confirmed it.
 *
 * @returns the time that is believed now and the one that was believed before, as timestamps; null if there was none
 * @throws if the clock of the database server is more than a minute away; nothing is stored then
 */
export function believeClock(storage: Storage): Promise<{ readonly now: string; readonly before: string | null }> {
  return storage.transaction(async (tx) => {
    const server = await findServerTime(tx);
    const now = systemClock();
    if (server !== null && Math.abs(fromTimestamp(server) - now) > SERVER_TOLERANCE_MS)
      throw new Error(
        `The clock of this machine says ${toTimestamp(now)}, that of the database server says ${server}. Synchronise them first.`,
      );
    const before = (await lockRound(tx)) ?? null;
    await saveRound(tx, toTimestamp(now));
    return { now: toTimestamp(now), before };
  });
}

/** Listeners for rounds. */
export interface RoundListeners {
  /** Called with the state of the clock after each round. */
  state(state: ClockState): void;
  /** Called when a round failed; the next one tries again. */
  failure(error: unknown): void;
}

/**
 * Runs the first round before it resolves, and then one every minute. A first round that fails does not end a start:
 * until one succeeds, the clock is not believed.
 *
 * @returns a function that stops the rounds; it resolves when the round in progress has ended
 */
export async function startKeepingRounds(
  judge: ClockJudge,
  storage: Storage,
  on: RoundListeners,
): Promise<() => Promise<void>> {
  let state = UNKNOWN;
  const stop = await everyRound(async () => {
    state = await judge.keepRound(storage);
    on.state(state);
  }, on.failure);
  if (state === UNKNOWN) on.state(state);
  return stop;
}

/** Follows the rounds in the same way, for a reader thread. */
export function startFollowingRounds(
  judge: ClockJudge,
  storage: Storage,
  onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
  return everyRound(() => judge.followRounds(storage), onFailure);
}

async function everyRound(
  round: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const act = () => round().catch(onFailure);
  await act();
  return repeat(ROUND_MS, act);
}
