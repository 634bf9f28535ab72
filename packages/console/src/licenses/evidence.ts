/** The facts of the evidence sheet: pure. All times are in UTC, because the sheet goes to a bank. */
import type { Activation, License } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';
import { momentText } from '../parts/time-words.ts';

const DAY_MS = 86_400_000;

/** A moment in UTC; the end or beginning of nothing is a dash. */
export function utcText(at: string | null): string {
  return at === null ? '–' : momentText(at, 'UTC');
}

/** Returns the countries in words, without repetition; a dash for none. */
export function countriesText(machines: readonly Pick<Activation, 'countries'>[]): string {
  const codes = new Set(machines.flatMap(({ countries }) => countries));
  return codes.size === 0 ? '–' : [...codes].map(countryName).join(', ');
}

/**
 * The use of the license after the payment in one sentence, which answers the usual question of a bank.
 *
 * @param hasMore whether the license has machines beside these
 */
export function usageSentence(
  { purchasedAt }: Pick<License, 'purchasedAt'>,
  machines: readonly Pick<Activation, 'firstSeen' | 'lastSeen'>[],
  hasMore: boolean,
): string {
  const after = machines.filter(({ lastSeen }) => lastSeen >= purchasedAt);
  if (after.length === 0) return 'No machine that the license knows today has used it since the payment.';
  const last = after
    .map(({ lastSeen }) => lastSeen)
    .toSorted()
    .at(-1)!;
  const days = Math.floor((Date.parse(last) - Date.parse(purchasedAt)) / DAY_MS);
  const when = days === 0 ? 'on the day of the payment' : `${counted(days, 'day')} after the payment`;
  return `${hasMore ? 'At least ' : ''}${counted(after.length, 'machine')} used it after the payment, the last time at ${utcText(last)}, ${when}.`;
}
