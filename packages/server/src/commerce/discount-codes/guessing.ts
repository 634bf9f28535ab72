/**
 * Limits the guessing of codes, because /redeemTrialCode needs no credential. A network that sends 30 unknown codes
 * within an hour is refused for the rest of that hour. Known codes never count, so that an office behind one address is
 * not slowed down.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { KeptLists } from '../../storage/contract/kept-lists-store.ts';
import { elementsOf, isFiniteNumber } from '../../storage/contract/stored-json.ts';
import { NetworkLimit } from './network-limit.ts';

export const GUESSES_PER_HOUR = 30;

/** The limit on the guesses of a network, which are kept in milliseconds since 1970. */
export const guessLimit = new NetworkLimit(
  new KeptLists('redemption_attempts', 'address', 'attempts', (list) => elementsOf(list, isFiniteNumber)),
  { pauseSeconds: guessingPauseSeconds, after: guessesAfter },
  'redemption_rate',
);

/**
 * Whole seconds until a network may try again; null when it may try now.
 *
 * @param guesses in milliseconds since 1970
 */
export function guessingPauseSeconds(guesses: readonly number[], limit: number, now: number): number | null {
  const recent = recentGuesses(guesses, now);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < limit) return null;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
}

/** The guesses to store after one more. */
export function guessesAfter(guesses: readonly number[], now: number): readonly number[] {
  return [...recentGuesses(guesses, now), now];
}

/**
 * The guesses of the last hour, oldest first. A guess dated an hour or more ahead came from a wrong clock and is
 * dropped.
 */
function recentGuesses(guesses: readonly number[], now: number): readonly number[] {
  return guesses.filter((at) => Math.abs(now - at) < HOUR_MS).sort((one, other) => one - other);
}
