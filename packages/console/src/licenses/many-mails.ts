/** Messages to many customers: their placeholders, and one for each address. Pure. */

/** The placeholders that the service allows in templates of replies, too. */
const PLACEHOLDERS: readonly string[] = ['product', 'machine', 'email', 'end', 'limit', 'used'];

/** The first placeholder that nothing fills in, in its braces; null without one. */
export function unknownPlaceholder(text: string): string | null {
  for (const [written, name = ''] of text.matchAll(/\{([A-Za-z]+)\}/g))
    if (!PLACEHOLDERS.includes(name)) return written;
  return null;
}

/** The first license of each address. */
export function firstOfEach(keys: readonly string[], addressOf: (key: string) => string): ReadonlySet<string> {
  const first = new Map<string, string>();
  for (const key of keys) {
    const address = addressOf(key).toLowerCase();
    if (!first.has(address)) first.set(address, key);
  }
  return new Set(first.values());
}
