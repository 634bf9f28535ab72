/** The likeness of a part of the code and a test by the words that both contain, rare words above all. */

/** Words that begin alike count as one: `license`, `licenses` and `licensed`. */
const LONGEST = 6;

/** Compares parts of the code with the texts of tests. */
export class SharedWords {
  readonly #counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #rarity: ReadonlyMap<string, number>;

  /** @param texts the text of each test, by its path */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#counts = new Map([...texts].map(([path, text]) => [path, countsOf(`${path} ${text}`)]));
    const inTexts = countsOf([...this.#counts.values()].map((counts) => [...counts.keys()].join(' ')).join(' '));
    this.#rarity = new Map([...inTexts].map(([word, count]) => [word, Math.log(texts.size / count)]));
  }

  /** The likeness of a test and a part of the code, from 0; only the order of the numbers has a meaning. */
  likeness(path: string, part: string): number {
    const counts = this.#counts.get(path) ?? new Map<string, number>();
    const weight = (word: string, count: number) => (1 + Math.log(count)) * (this.#rarity.get(word) ?? 0);
    const length = Math.hypot(...[...counts].map(([word, count]) => weight(word, count)));
    const shared = [...countsOf(part)].map(([word, count]) => {
      const found = counts.get(word);
      return found === undefined ? 0 : weight(word, found) * weight(word, count);
    });
    return shared.reduce((sum, each) => sum + each, 0) / (length || 1);
  }
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]{3,}|\d{2,}/g) ?? []) {
    const beginning = word.slice(0, LONGEST);
    counts.set(beginning, (counts.get(beginning) ?? 0) + 1);
  }
  return counts;
}
