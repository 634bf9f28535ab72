/** Countries in words. */

const names = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' });

/** The name of a country in the reader's language; any value that is not a two-letter code is returned unchanged. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
