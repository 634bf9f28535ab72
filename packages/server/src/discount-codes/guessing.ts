/**
 * Limits the guessing of codes: /redeemTrialCode asks for no credential, so a network that named 30 codes which do not exist
 * within an hour is refused for the rest of that hour. Codes that exist never count, so that an office behind one address
 * is not slowed down.
 */
import { HOUR_MS } from '../clock.ts';
import type { Network } from '../network-address.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import { findGuesses, lockGuesses, saveGuesses } from './guess-store.ts';

export const GUESSES_PER_HOUR = 30;

/** Refuses networks that have guessed too often, as far as is known without a lock. */
export async function refusalForGuesses(
  sql: Sql,
  networks: readonly Network[],
  now: number,
): Promise<Refusal<'redemption_rate'> | null> {
  for (const { name, times } of networks) {
    const refusal = refusalFor(await findGuesses(sql, name), times, now);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Counts a code that does not exist. Of guesses that arrive at once each is counted, and no more are told apart. */
export async function refuseGuess(
  tx: Tx,
  networks: readonly Network[],
  now: number,
): Promise<Refusal<'redemption_rate' | 'code_unknown'>> {
  const locked: { readonly name: string; readonly guesses: readonly number[] }[] = [];
  for (const { name, times } of networks) {
    const guesses = await lockGuesses(tx, name, now);
    const refusal = refusalFor(guesses, times, now);
    if (refusal !== null) return refusal;
    locked.push({ name, guesses });
  }
  for (const { name, guesses } of locked) await saveGuesses(tx, name, guessesAfter(guesses, now), now);
  return refuse('code_unknown');
}

/**
 * Whole seconds until a network may try again; null when it may now.
 *
 * @param guesses in milliseconds
 * @param times how many times the limit holds in this network
 */
export function guessingPauseSeconds(guesses: readonly number[], now: number, times = 1): number | null {
  const recent = recentGuesses(guesses, now);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < GUESSES_PER_HOUR * times) return null;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
}

/** The guesses to keep after one more. */
export function guessesAfter(guesses: readonly number[], now: number): readonly number[] {
  return [...recentGuesses(guesses, now), now];
}

function refusalFor(guesses: readonly number[], times: number, now: number): Refusal<'redemption_rate'> | null {
  const retryAfterSeconds = guessingPauseSeconds(guesses, now, times);
  return retryAfterSeconds === null ? null : refuse('redemption_rate', { retryAfterSeconds });
}

/** Those of the last hour, oldest first. One that is an hour ahead was made by a clock that was wrong, and is forgotten. */
function recentGuesses(guesses: readonly number[], now: number): readonly number[] {
  return guesses.filter((at) => Math.abs(now - at) < HOUR_MS).sort((one, other) => one - other);
}
