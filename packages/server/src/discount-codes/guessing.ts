/**
 * Against guessing codes: /redeemTrialCode asks for no credential, so a network address that named 30 codes which do not
 * exist within an hour is refused for the rest of that hour. Codes that exist never count, so that neither a storefront
 * which redeems for all of its customers nor an office behind one address is slowed down.
 */
import { HOUR_MS } from '../clock.ts';

export const GUESSES_PER_HOUR = 30;

/** Whole seconds until an address may try again; null when it may now. `guesses` are milliseconds. */
export function guessingPauseSeconds(guesses: readonly number[], now: number): number | null {
  const recent = recentGuesses(guesses, now);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < GUESSES_PER_HOUR) return null;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000));
}

/** The guesses to keep after one more. */
export function guessesAfter(guesses: readonly number[], now: number): readonly number[] {
  return [...recentGuesses(guesses, now), now];
}

/** Those of the last hour, oldest first. One that is an hour ahead was made by a clock that was wrong, and is forgotten. */
function recentGuesses(guesses: readonly number[], now: number): readonly number[] {
  return guesses.filter((at) => Math.abs(now - at) < HOUR_MS).sort((one, other) => one - other);
}

/** What one subscriber holds of the network: an IPv4 address, or the first 64 bits of an IPv6 one. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = [], after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
