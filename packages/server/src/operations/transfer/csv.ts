/** Licenses as CSV: a header line that names fields of a license, and a row for each license. */
import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import type { TObject } from 'typebox';
import { LONGEST_LINE } from './format.ts';

/** A row: the text of each field that is not empty, or the fault of the row. */
export interface CsvRow {
  /** Number of the line on which the row ends, from 1. */
  readonly number: number;
  readonly bytes: number;
  readonly read: { readonly values: Readonly<Record<string, string>> } | { readonly fault: string };
}

/** A fault of the header line: nothing can be read by it. The message is a sentence without its full stop. */
export class ColumnsError extends Error {}

/** A fault after which the rest of the file cannot be read. The message never quotes the file. */
export class UnreadableRestError extends Error {}

/** What separates the values of a row; spreadsheets choose by the language of the computer. */
const SEPARATORS = [',', ';', '\t'];

/** The column that every CSV file of licenses has. */
const KEY_COLUMN = 'licensekey';

/** The separator of a header line; null if the line is not the header of a CSV file of licenses. */
export function separatorOf(header: string): string | null {
  const isKey = (name: string) => columnName(name.replace(/^\s*"(.*)"\s*$/, '$1')) === KEY_COLUMN;
  return SEPARATORS.find((separator) => header.split(separator).some(isKey)) ?? null;
}

/**
 * The rows of a CSV file after its header. Quoted values may contain separators and line ends; blank lines are skipped.
 *
 * @param shape the fields that columns may have, and must have
 * @throws ColumnsError if the header lacks a required field, or names another column or one twice
 * @throws UnreadableRestError if the file is not UTF-8, a quotation mark is not closed, or a row is too long
 */
export async function* csvRows(
  source: AsyncIterable<Uint8Array>,
  separator: string,
  shape: TObject,
): AsyncGenerator<CsvRow> {
  const parsed: ParsedRow[] = [];
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_LINE,
    // Rows are taken here, because a stream that fails drops those that it has parsed already.
    on_record(record: readonly string[], { records, empty_lines, bytes }) {
      parsed.push({ record, line: records + empty_lines, bytes });
      return null;
    },
  });
  // Each error reaches the call that caused it.
  parser.on('error', () => {}).resume();
  const ended = finished(parser).catch((error: Error) => error);
  let columns: readonly string[] | null = null;
  let [number, bytes, linesInValues] = [0, 0, 0];
  const rows = function* (): Generator<CsvRow> {
    for (const row of parsed.splice(0)) {
      linesInValues += row.record.reduce((sum, value) => sum + (value.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
      number = row.line + linesInValues;
      if (columns === null) columns = columnsOf(row.record, shape);
      else yield { number, bytes: row.bytes - bytes, read: readRow(row.record, columns) };
      bytes = row.bytes;
    }
  };
  try {
    for await (const text of decoded(source)) {
      const error = await written(parser, text);
      yield* rows();
      if (error !== null) throw error;
    }
    parser.end();
    const error = await ended;
    yield* rows();
    if (error instanceof Error) throw error;
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableRestError(faultOf(error, number), { cause: error });
    throw error;
  }
}

/** A row as parsed; `line` counts rows and blank lines, but no line ends inside values. */
interface ParsedRow {
  readonly record: readonly string[];
  readonly line: number;
  /** Bytes of the file up to the end of the row. */
  readonly bytes: number;
}

/** Parses a piece of the file; returns the error that it causes. */
function written(parser: Parser, text: string): Promise<Error | null> {
  return new Promise((resolve) => parser.write(text, (error) => resolve(error ?? null)));
}

async function* decoded(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of source) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnreadableRestError('it is not UTF-8; save it as "CSV UTF-8"', { cause: error });
  }
}

function columnsOf(header: readonly string[], shape: TObject): readonly string[] {
  const fields = Object.keys(shape.properties);
  const names = header.map((given) => {
    const name = fields.find((field) => columnName(field) === columnName(given));
    if (name !== undefined) return name;
    throw new ColumnsError(
      given.trim() === ''
        ? 'has a column without a name'
        : `names the column ${shownName(given)}, which a license does not have`,
    );
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ColumnsError(`names the column ${twice} twice`);
  const absent = (shape.required ?? []).find((name) => !names.includes(name));
  if (absent !== undefined) throw new ColumnsError(`lacks the column ${absent}`);
  return names;
}

/** Columns are compared without case and the blanks around them. */
function columnName(name: string): string {
  return name.trim().toLowerCase();
}

/** The name of a field or column for a message, made safe because it comes from the file. */
export function shownName(name: string): string {
  const legible = name.replace(/[^\w.-]/g, '?');
  return legible.length > 40 ? `${legible.slice(0, 40)}…` : legible;
}

function readRow(record: readonly string[], columns: readonly string[]): CsvRow['read'] {
  if (record.length !== columns.length)
    return { fault: `has ${record.length} values, but the header has ${columns.length} columns` };
  const values: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const value = record[index]?.trim() ?? '';
    if (value !== '') values[name] = value;
  }
  return { values };
}

function faultOf({ code }: CsvError, lastLine: number): string {
  return code === 'CSV_MAX_RECORD_SIZE'
    ? `the row after line ${lastLine} is longer than ${LONGEST_LINE} bytes, or a quotation mark in it is not closed`
    : `the quotation marks in the row after line ${lastLine} are not in order`;
}
