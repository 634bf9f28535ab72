/** Numbers of things in words, with separators as the reader writes them. */

const counts = new Intl.NumberFormat(undefined);

/** "1,200". */
export function countText(count: number): string {
  return counts.format(count);
}

/** "1 machine", "1,200 machines". @param many what several are called; with an s unless given */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
