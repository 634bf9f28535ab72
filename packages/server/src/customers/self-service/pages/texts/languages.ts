/** The language of a page: the visitor's choice, else the browser's preference. */

import { LANGUAGES, type Language } from '../../shapes.ts';
import { german } from './de.ts';
import { english, type Texts } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';

export const TEXTS: Readonly<Record<Language, Texts>> = { en: english, de: german, fr: french, es: spanish };

/** The locale of dates and names of countries. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es' };

/** A language by its code; null for any other text. */
export function languageNamed(code: string | undefined): Language | null {
  return LANGUAGES.find((language) => language === code) ?? null;
}

/** The most preferred language of an `Accept-Language` header that the pages have; English without one. */
export function preferredLanguage(header: string | undefined): Language {
  const wishes = (header ?? '').slice(0, 500).split(',').map(readWish);
  const known = wishes.filter(({ language, weight }) => language !== null && weight > 0);
  return known.sort((one, other) => other.weight - one.weight)[0]?.language ?? LANGUAGES[0];
}

/** Reads one wish, like `de-AT;q=0.8`. */
function readWish(wish: string): { language: Language | null; weight: number } {
  const [range = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
  return { language: languageNamed(range.split('-')[0]), weight: weight === undefined ? 1 : Number(weight) || 0 };
}

const DAY_FORMAT = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
/** Formats of days, each made on first use: it takes 0.1 ms, and a page shows several days. */
const dayFormats = new Map<Language, Intl.DateTimeFormat>();

/** A day in words and in UTC, like `3 May 2026`. */
export function dayInWords(language: Language, timestamp: string): string {
  let format = dayFormats.get(language);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(LOCALES[language], DAY_FORMAT);
    dayFormats.set(language, format);
  }
  return format.format(new Date(timestamp));
}

/** The name of a country by its two letters; the letters if they are no country. */
export function countryInWords(language: Language, country: string): string {
  try {
    return new Intl.DisplayNames(LOCALES[language], { type: 'region' }).of(country) ?? country;
  } catch {
    return country;
  }
}
