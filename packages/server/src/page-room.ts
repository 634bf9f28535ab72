/** How many entries a page of a list has room for, by bytes: a page with long entries ends before its `limit`. */

/** A page ends where its entries have about so many bytes. */
export const PAGE_BYTES = 1024 ** 2;

/** How many of these entries a page holds: `limit` at most, and {@link PAGE_BYTES}, but always the first. */
export function countThatFits(entries: readonly unknown[], limit: number): number {
  const room = new PageRoom();
  let count = 0;
  while (count < limit && count < entries.length && room.takes(entries[count])) count += 1;
  return count;
}

/** The room that a page has left. */
export class PageRoom {
  #left = PAGE_BYTES;
  #isEmpty = true;

  /** Takes an entry in, or answers false where it does not fit. The first always fits. */
  takes(entry: unknown): boolean {
    const bytes = roughBytes(entry);
    if (!this.#isEmpty && bytes > this.#left) return false;
    this.#isEmpty = false;
    this.#left -= bytes;
    return true;
  }
}

/** What punctuation and a number take in JSON, roughly. */
const BYTES_OF_FORM = 4;
const BYTES_OF_NUMBER = 8;

/** About how many bytes a value has as JSON, without making the JSON. */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + BYTES_OF_FORM;
  if (typeof value !== 'object' || value === null) return BYTES_OF_NUMBER;
  let bytes = BYTES_OF_FORM;
  for (const [name, each] of Object.entries(value))
    bytes += roughBytes(each) + (Array.isArray(value) ? 0 : name.length + BYTES_OF_FORM);
  return bytes;
}
