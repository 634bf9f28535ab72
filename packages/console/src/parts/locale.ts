/** The language of the console's sentences, numbers and times. */

/** Days and digits that no reader of English takes for others: 3 Mar 2027, 1,200. */
const PLAIN = 'en-GB';

/**
 * The reader's own English if the browser names one, such as American; otherwise British. Numbers and times stand
 * within English sentences, so the language of a German or an Arabic browser would mix two languages.
 */
export function englishOf(languages: readonly string[]): string {
  const english = languages.find((language) => /^en(-[A-Z]{2})?$/.test(language));
  return english === undefined || english === 'en' ? PLAIN : english;
}

export const LOCALE = englishOf(navigator.languages);
