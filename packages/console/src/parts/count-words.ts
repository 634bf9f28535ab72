/** Counts in words, with the separators of the reader's locale. */

const counts = new Intl.NumberFormat(undefined);

/** "1,200". */
export function countText(count: number): string {
  return counts.format(count);
}

/** "1 machine", "1,200 machines". @param many the plural; `one` with an s by default */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
