/**
 * Finds the names of things in a pasted text, such as a whole mail: license keys, e-mail addresses, orders, seat codes,
 * and words that may name a purchase, a request or a machine (rules 4.3.1). Each step reads the text once.
 */
import { canonicalSeatCode } from '../../commerce/studio-orders/studio-order.ts';
import { tidied } from '../../ground/base/typed-text.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';

/** Maximum number of names that one text is searched for. */
export const MAX_NAMES = 20;

/** Groups of a key: letters and digits of generated keys, separated by dashes or spaces. */
const KEY = /(?<![A-Z\d])[A-HJ-NP-Z2-9]{5}(?:(?: ?[\p{Pd}\u2212] ?|[ \n])[A-HJ-NP-Z2-9]{5}){4}(?![A-Z\d])/giu;
/**
 * A key as lists show it, with an ellipsis (U+2026) for its middle. Escaped here and below: a character beyond ASCII
 * would double the memory that the program takes.
 */
const SHORT_KEY = /(?<![A-Z\d])[A-HJ-NP-Z2-9]{5} ?(?:\u2026|\.{3}) ?[A-HJ-NP-Z2-9]{5}(?![A-Z\d])/gi;
/**
 * Everything that ends a word, quotation marks of all kinds included. Letters of any script, digits and the marks of
 * names stay together.
 */
const BETWEEN_WORDS = /[\s<>()[\]{}"'`\u00b4\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb,;|=*]+/u;
/** Marks around a word that do not belong to it. */
const EDGES = /^[.:!?#\u2026/\\_-]+|[.:!?#\u2026/\\_-]+$/gu;
const ADDRESS = /^[^@\s]+@[^@\s]+\.[^@\s.]+$/;
const ORDER = /^so_[\da-f-]{36}$/i;
const SEAT = /^STUDIO-[A-Z\d]{4}-[A-Z\d]{4}$/;
/** A word that hardly belongs to a language: it holds a digit, or joins parts by a mark. */
const NAME = /\d|[^-_.][-_][^-_.]/;
const SHORTEST_NAME = 4;
const LONGEST_NAME = 64;
/** Longer words are no names. It bounds the patterns above, which read a word more than once. */
const LONGEST_WORD = 320;

/**
 * The names in a text, each once, at most {@link MAX_NAMES}: keys first, then addresses, orders and seats, and other
 * words in the order of the text.
 */
export function namesIn(pasted: string): readonly string[] {
  // Marks of direction and blanks of no width, which mail programs put into copied text.
  const text = tidied(pasted).replace(/\r\n?/g, '\n').normalize('NFC');
  const keys = [
    ...[...text.matchAll(KEY)].map(([found]) => storedLicenseKey(found)),
    ...[...text.matchAll(SHORT_KEY)].map(([found]) => found.replace(/\s+/g, '')),
  ];
  const words = text
    .replace(KEY, ' ')
    .replace(SHORT_KEY, ' ')
    .split(BETWEEN_WORDS)
    .filter((word) => word.length <= LONGEST_WORD)
    .map((word) => word.replace(/^mailto:/i, '').replace(EDGES, ''))
    .map((word) => (SEAT.test(canonicalSeatCode(word)) ? canonicalSeatCode(word) : word));
  const named = words.filter((word) => ADDRESS.test(word) || ORDER.test(word) || SEAT.test(word));
  const others = words.filter(
    (word) => word.length >= SHORTEST_NAME && word.length <= LONGEST_NAME && NAME.test(word) && !word.includes('@'),
  );
  return [...new Set([...keys, ...named, ...others])].slice(0, MAX_NAMES);
}
