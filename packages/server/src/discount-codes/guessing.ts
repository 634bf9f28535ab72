/**
 * Limits the guessing of codes, because /redeemTrialCode needs no credential. A network that sends 30 unknown codes
 * within an hour is refused for the rest of that hour. Known codes never count, so that an office behind one address is
 * not slowed down.
 */
import { HOUR_MS } from '../base/clock.ts';
import type { Network } from '../base/network-address.ts';
import { type Refusal, refuse } from '../endpoint/refusals.ts';
import { KeptLists } from '../storage/kept-lists-store.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import { elementsOf, isFiniteNumber } from '../storage/stored-json.ts';

/** The guesses of networks, in milliseconds since 1970. */
const stored = new KeptLists('redemption_attempts', 'address', 'attempts', (list) => elementsOf(list, isFiniteNumber));

export const GUESSES_PER_HOUR = 30;

/** Refuses networks with too many guesses, from an unlocked read. */
export async function refusalForGuesses(
  sql: Sql,
  networks: readonly Network[],
  now: number,
): Promise<Refusal<'redemption_rate'> | null> {
  for (const { name, times } of networks) {
    const refusal = refusalFor(await stored.find(sql, name), times, now);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * Counts an unknown code, or refuses it uncounted once a network has reached its limit. The lock keeps concurrent
 * guesses within the limit.
 */
export async function refuseGuess(
  tx: Tx,
  networks: readonly Network[],
  now: number,
): Promise<Refusal<'redemption_rate' | 'code_unknown'>> {
  const locked: { readonly name: string; readonly guesses: readonly number[] }[] = [];
  for (const { name, times } of networks) {
    const guesses = await stored.lock(tx, name, now);
    const refusal = refusalFor(guesses, times, now);
    if (refusal !== null) return refusal;
    locked.push({ name, guesses });
  }
  for (const { name, guesses } of locked) await stored.save(tx, name, guessesAfter(guesses, now), now);
  return refuse('code_unknown');
}

/**
 * Whole seconds until a network may try again; null when it may try now.
 *
 * @param guesses in milliseconds since 1970
 * @param times multiplier of the limit for this network
 */
export function guessingPauseSeconds(guesses: readonly number[], now: number, times = 1): number | null {
  const recent = recentGuesses(guesses, now);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < GUESSES_PER_HOUR * times) return null;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
}

/** The guesses to store after one more. */
export function guessesAfter(guesses: readonly number[], now: number): readonly number[] {
  return [...recentGuesses(guesses, now), now];
}

function refusalFor(guesses: readonly number[], times: number, now: number): Refusal<'redemption_rate'> | null {
  const retryAfterSeconds = guessingPauseSeconds(guesses, now, times);
  return retryAfterSeconds === null ? null : refuse('redemption_rate', { retryAfterSeconds });
}

/**
 * The guesses of the last hour, oldest first. A guess dated an hour or more ahead came from a wrong clock and is
 * dropped.
 */
function recentGuesses(guesses: readonly number[], now: number): readonly number[] {
  return guesses.filter((at) => Math.abs(now - at) < HOUR_MS).sort((one, other) => one - other);
}
