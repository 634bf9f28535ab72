/** The first and the last group of a key, which distinguish keys without showing them whole. */
export function shortKey(key: string): string {
  const groups = key.split('-');
  if (groups.length > 2) return `${groups[0]} … ${groups.at(-1)}`;
  return key.length > 14 ? `${key.slice(0, 6)} … ${key.slice(-4)}` : key;
}

/** The last group of a key, or its last characters, which tell it from others and open nothing. */
export function lastGroup(key: string): string {
  const groups = key.split('-');
  return groups.length > 2 ? (groups.at(-1) ?? '') : key.slice(-4);
}
