/** The file format of export and import: JSON Lines (docs/operators/import-export.md). */

/** The version of the line format; import refuses any other. */
export const FORMAT_VERSION = 1;

/** The first line, including its line end. @param exportedAt a timestamp */
export function firstLine(exportedAt: string): string {
  return `${JSON.stringify({ kind: 'latchkey', version: FORMAT_VERSION, exportedAt })}\n`;
}

/**
 * The last line, including its line end; a file without it is truncated.
 *
 * @param lines number of lines between the first line and this one
 */
export function lastLine(lines: number): string {
  return `${JSON.stringify({ kind: 'end', lines })}\n`;
}

/** The kinds of lines in the order of an export: each kind after those that it refers to. */
export const LINE_KINDS = [
  'product',
  'variant',
  'code',
  'license',
  'soldUnit',
  'user',
  'usage',
  'machine',
  'violation',
  'note',
  'redemption',
  'trial',
  'order',
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** Maximum length of a line in bytes, without its line end. */
export const LONGEST_LINE = 1_048_576;
