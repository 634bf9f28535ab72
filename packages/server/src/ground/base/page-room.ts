/** Bounds a page of a list in bytes: a page of long entries ends before its `limit`. */

/** The length of a page's entries in bytes, about. */
export const PAGE_BYTES = 1024 ** 2;

/**
 * Returns the number of entries that fit on a page: at most `limit` and {@link PAGE_BYTES}, and always the first one.
 */
export function countThatFits(entries: readonly unknown[], limit: number): number {
  const room = new PageRoom();
  let count = 0;
  while (count < limit && count < entries.length && room.takes(entries[count])) count += 1;
  return count;
}

/** Counts the bytes that a page has left. */
export class PageRoom {
  #left = PAGE_BYTES;
  #isEmpty = true;

  /** Takes an entry in, or returns false if it does not fit. The first one always fits. */
  takes(entry: unknown): boolean {
    const bytes = roughBytes(entry);
    if (!this.#isEmpty && bytes > this.#left) return false;
    this.#isEmpty = false;
    this.#left -= bytes;
    return true;
  }
}

/** Brackets, comma and colon around a value or a field. */
const BYTES_OF_FORM = 2;
const BYTES_OF_QUOTES = 2;
const BYTES_OF_NUMBER = 8;

/** A text that JSON writes as it is, in one byte per letter. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Estimates the length of a value's JSON in bytes. Texts count exactly, because JSON writes some letters as six. */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return bytesOfText(value) + BYTES_OF_FORM;
  if (typeof value !== 'object' || value === null) return BYTES_OF_NUMBER;
  let bytes = BYTES_OF_FORM;
  for (const [name, each] of Object.entries(value))
    bytes += roughBytes(each) + (Array.isArray(value) ? 0 : name.length + 2 * BYTES_OF_FORM);
  return bytes;
}

function bytesOfText(text: string): number {
  return PLAIN.test(text) ? text.length + BYTES_OF_QUOTES : Buffer.byteLength(JSON.stringify(text));
}
