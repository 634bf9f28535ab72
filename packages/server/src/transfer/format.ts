/** The file that export writes and import reads: JSON Lines (docs/import-export.md). */

/** The number of the form of the lines; another one is refused. */
export const FORMAT_VERSION = 1;

/** The first line of a file that export wrote. */
export interface Header {
  readonly kind: 'latchkey';
  readonly version: number;
  readonly exportedAt: string;
}

/** The last line: a file without it was cut off. */
export interface End {
  readonly kind: 'end';
  /** How many lines stand between the first and this one. */
  readonly lines: number;
}

/** The first line, with its end. @param exportedAt a timestamp */
export function firstLine(exportedAt: string): string {
  return `${JSON.stringify({ kind: 'latchkey', version: FORMAT_VERSION, exportedAt } satisfies Header)}\n`;
}

/** The last line, with its end. @param lines how many stand between the first and this one */
export function lastLine(lines: number): string {
  return `${JSON.stringify({ kind: 'end', lines } satisfies End)}\n`;
}

/** What lines tell of, in the order in which export writes them: each after what it refers to. */
export const LINE_KINDS = [
  'product',
  'variant',
  'code',
  'license',
  'machine',
  'violation',
  'note',
  'redemption',
  'order',
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** How long a line may be, in bytes, its end not counted. */
export const LONGEST_LINE = 1_048_576;
