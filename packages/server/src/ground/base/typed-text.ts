/**
 * Folds typed, pasted and dictated text. Mail programs, word processors and phones break lines, put marks of no
 * width between letters, and replace hyphens and quotation marks by others; none of this makes another key, code or
 * address.
 */
import { domainToASCII, domainToUnicode } from 'node:url';

/** Characters that show nothing: marks of direction, spaces of no width, soft hyphens, selectors of variants. */
const INVISIBLE = /[\p{Cf}\p{DI}]/gu;
/**
 * Hyphens and dashes of all kinds, and characters that people or programs use as such: minus signs, the bullet, and the
 * long vowel mark on the hyphen's key of Japanese keyboards. Two hyphens become one dash in word processors.
 */
const DASHES = /[\p{Pd}\u02d7\u2043\u2212\u2500\u2796\u30fc]+/gu;
const SPACES = /[\s\p{Cc}]+/gu;

/** Marks around a key, which consists of letters and digits at its ends. */
const AROUND_KEY = /^[\s\p{Cc}\p{P}\p{S}]+|[\s\p{Cc}\p{P}\p{S}]+$/gu;
/** Quotation marks, brackets, dashes and marks of sentences. A code that somebody chose may end with any other mark. */
const AROUND_CODE =
  /^[\s\p{Cc}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Pd}"'`\u00b4<>.,;:!?*_|]+|[\s\p{Cc}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Pd}"'`\u00b4<>.,;:!?*_|]+$/gu;

/** A key in its folded form, as programs send it. */
const FOLDED_KEY = /^[A-Z\d]+(?:-[A-Z\d]+)*$/;

/**
 * A key or a code of this service: in capitals, without spaces, with plain hyphens, without marks around it. Folding it
 * again changes nothing.
 */
export function foldKey(typed: string): string {
  return FOLDED_KEY.test(typed) ? typed : fold(typed, AROUND_KEY).toUpperCase().normalize('NFKC');
}

/** A code that somebody chose: in lower case, otherwise like {@link foldKey}; '' if nothing but marks is left. */
export function foldCode(typed: string): string {
  return fold(typed, AROUND_CODE).toLowerCase().normalize('NFKC');
}

function fold(typed: string, around: RegExp): string {
  return (
    typed
      .replace(INVISIBLE, '')
      // Before NFKC, which turns some marks into letters, and after it, which turns some letters into marks.
      .replace(around, '')
      .normalize('NFKC')
      .replace(DASHES, '-')
      .replace(SPACES, '')
      .replace(around, '')
  );
}

/** A text without characters that show nothing, and without spaces around it. */
export function tidied(typed: string): string {
  return typed.replace(INVISIBLE, '').trim();
}

/** Maximum length of an e-mail address (RFC 5321 allows 64 + 1 + 255 octets). */
export const LONGEST_ADDRESS = 320;

const PLAIN_ADDRESS = /^[!-?A-~]+@[!-?A-~]*[!-\-/-?A-~]$/;
const ADDRESS = /^([^\s\p{Cc}@]+)@([^\s\p{Cc}@]+?)\.?$/u;

/**
 * An e-mail address as it is stored: without characters that show nothing and without spaces around it, its letters in
 * NFC, and a domain beyond ASCII as people read it. Null for anything else, and for a domain that DNS has under another
 * name: an e-mail to `firm` with a ligature or in full-width letters would reach another address than the stored one.
 */
export function readAddress(typed: string): string | null {
  if (typed.length <= LONGEST_ADDRESS && isPlain(typed)) return typed;
  const address = tidied(typed).normalize('NFC');
  if (address.length > LONGEST_ADDRESS || !address.isWellFormed()) return null;
  const [, local, given] = ADDRESS.exec(address) ?? [];
  if (local === undefined || given === undefined) return null;
  const domain = isEncoded(given) ? readDomain(given) : given;
  return domain === null ? null : `${local}@${domain}`;
}

/** An address as rows hold it, to look it up there. Text that is no address is folded as far as possible. */
export function storedAddress(typed: string): string {
  return readAddress(typed) ?? tidied(typed).normalize('NFC');
}

/** An e-mail address in the form for comparison. Text that is no address is folded as far as possible. */
export function foldEmail(typed: string): string {
  return isPlain(typed) ? typed.toLowerCase() : storedAddress(typed).toLowerCase().normalize('NFC');
}

/** An address of which its owner recognises the first letter and the domain: `a***@example.com`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, at)][0] ?? ''}***${address.slice(at)}`;
}

function isPlain(typed: string): boolean {
  return PLAIN_ADDRESS.test(typed) && !isEncoded(typed);
}

/** Whether DNS has the domain under another name than people. */
function isEncoded(domain: string): boolean {
  return /[^\0-\x7f]|xn--/i.test(domain);
}

/** A domain in Unicode, from either form of each of its labels. */
function readDomain(given: string): string | null {
  const labels = given.toLowerCase().normalize('NFC').split('.');
  const ascii = domainToASCII(labels.join('.'));
  const unicode = domainToUnicode(ascii);
  if (unicode === '') return null;
  const [encoded, shown] = [ascii.split('.'), unicode.split('.')];
  const comesBack =
    labels.length === shown.length && labels.every((label, index) => [shown[index], encoded[index]].includes(label));
  return comesBack ? unicode : null;
}

/**
 * A name that serves people, such as that of a computer, so that it can be stored: without NUL and halves of surrogate
 * pairs, and cut to a number of characters, of which an emoji is one.
 */
export function repairedName(given: string, most: number): string {
  const whole = given.replaceAll('\0', '\ufffd').toWellFormed();
  return whole.length <= most ? whole : [...whole].slice(0, most).join('');
}
