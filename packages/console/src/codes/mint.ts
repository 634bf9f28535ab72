/** Unguessable codes, one for each customer. */

/** Without letters and digits that look alike. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 2;
const LENGTH = 5;

/** Fills an array with random numbers, as `crypto.getRandomValues` does. */
type Fill = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

/**
 * Creates `count` different codes, for example `SPRING-7KQ2M-XW94T`: the prefix and ten random characters (5.9 × 10^14
 * possibilities).
 *
 * @param prefix '' for none
 */
export function mintCodes(
  count: number,
  prefix: string,
  fill: Fill = (bytes) => crypto.getRandomValues(bytes),
): string[] {
  const codes = new Set<string>();
  while (codes.size < count) {
    const groups = Array.from({ length: GROUPS }, () => randomText(fill));
    codes.add([prefix.trim().replace(/-+$/, ''), ...groups].filter((part) => part !== '').join('-'));
  }
  return [...codes];
}

/** Discards bytes that would make some characters likelier than others. */
function randomText(fill: Fill): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < LENGTH)
    for (const byte of fill(new Uint8Array(LENGTH * 2)))
      if (byte < limit && text.length < LENGTH) text += ALPHABET[byte % ALPHABET.length];
  return text;
}
