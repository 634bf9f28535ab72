/** Numbers with their nouns, for texts that a person reads. */

/** Returns `1 license`, `0 licenses`, `12 licenses`. @param many the plural; `one` with an s by default */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
