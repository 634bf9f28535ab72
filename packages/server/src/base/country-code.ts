/** Codes of countries: two letters, as in ISO 3166. */

/** The Unicode code of an unknown region. */
const UNKNOWN_REGION = 'ZZ';

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Whether a text in upper case is the code of a country, also of one that no longer exists. */
export function isCountryCode(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && code !== UNKNOWN_REGION && names.of(code) !== undefined;
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Every code of a country. */
export const COUNTRY_CODES: readonly string[] = LETTERS.flatMap((first) =>
  LETTERS.map((second) => first + second).filter(isCountryCode),
);
