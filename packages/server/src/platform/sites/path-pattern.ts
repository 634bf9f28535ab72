/** Patterns of the paths of sites: `/connect/<id>` fits `/connect/con_4d5e`. */

/** Longest segment that stands for a name, in characters. */
const MAX_SEGMENT_LENGTH = 200;

/** A pattern, ready to be compared. */
export interface PathPattern {
  /** As declared; metrics count all its paths under this name. */
  readonly pattern: string;
  /** The segments of a path that stand for names, by name; null if the path does not fit. */
  segmentsOf(path: string): Readonly<Record<string, string>> | null;
}

/**
 * Reads a pattern. A name in angle brackets stands for one segment of letters, digits and `-._~`, which need no
 * percent signs in addresses.
 *
 * @param pattern such as `/connect/<id>`
 */
export function pathPattern(pattern: string): PathPattern {
  const source = pattern
    .split(/<(\w+)>/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[\\w.~-]{1,${MAX_SEGMENT_LENGTH}})`))
    .join('');
  const expected = new RegExp(`^${source}$`);
  return { pattern, segmentsOf: (path) => expected.exec(path)?.groups ?? null };
}

/** True if a text is a pattern, not a single path. */
export function isPattern(path: string): boolean {
  return path.includes('<');
}
