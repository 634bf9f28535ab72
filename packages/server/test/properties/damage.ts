/** What mail programs, word processors, phones and people do to a key or a code on its way. */
import fc from 'fast-check';

/** Characters that show nothing. */
export const invisible = fc.constantFrom(
  ...[
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u2060',
    '\u00ad',
    '\ufeff',
    '\u202a',
    '\u2066',
    '\u061c',
    '\ufe0f',
  ],
);
const dash = fc.constantFrom(
  ...[
    '-',
    '\u2010',
    '\u2011',
    '\u2012',
    '\u2013',
    '\u2014',
    '\u2015',
    '\u2212',
    '\ufe63',
    '\uff0d',
    '\u30fc',
    ' - ',
    '--',
  ],
);
const space = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\u00a0', '\u2009', '\u3000');
const around = fc.constantFrom(
  ...[
    '',
    '"',
    '\u201c',
    '\u201d',
    '\u201e',
    '\u00ab',
    '\u00bb',
    '\u2018',
    '\u300c',
    '\uff02',
    '`',
    '\u00b4',
    '<',
    '>',
    '(',
    ')',
    '.',
    ',',
    ':',
    '*',
  ],
);

/** The full-width form of an ASCII character, as keyboards of East Asia type it. */
const wide = (letter: string) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0);

/** One letter as it may arrive: in either case, in full width, with invisible characters or a broken line beside it. */
const damagedLetter = (letter: string): fc.Arbitrary<string> =>
  letter === '-'
    ? dash
    : fc
        .tuple(
          fc.constantFrom(letter, letter, letter.toLowerCase(), wide(letter), wide(letter.toLowerCase())),
          fc.option(invisible, { nil: '', freq: 2 }),
          fc.option(space, { nil: '', freq: 1 }),
        )
        .map((parts) => parts.join(''));

/** A key or a code of capitals, digits and hyphens after any such damage. */
export function damaged(text: string): fc.Arbitrary<string> {
  const letters = fc.tuple(...[...text].map(damagedLetter)).map((parts) => parts.join(''));
  const marks = fc.array(fc.oneof(around, space, invisible), { maxLength: 3 }).map((parts) => parts.join(''));
  return fc.tuple(marks, letters, marks).map((parts) => parts.join(''));
}
