/** Countries in words. */
import { LOCALE } from './locale.ts';

const names = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });

/** The name of a country in the console's language; any value that is not a two-letter code is returned unchanged. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

/** Whether a code names a country; proxies may send others. */
export function isCountry(code: string): boolean {
  return countryName(code) !== code;
}
