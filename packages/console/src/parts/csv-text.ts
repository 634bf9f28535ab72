/** Lists as CSV (RFC 4180) that a spreadsheet opens without running anything in it. */

/**
 * The places where a spreadsheet may see a formula: an ASCII or full-width sign that starts one, at the start of the
 * value or of a cell within it. Spreadsheets that separate cells by semicolons or tabs ignore the quotes of a value, so
 * each semicolon, tab and line break in it starts a cell.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\p{Zs}"]*[=+\-@＝＋－＠])|^(?=[\t\r])/gu;

/** A value as one field, with an apostrophe before each text that a spreadsheet would run as a formula. */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' ? text.replaceAll(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a CSV file: one line of titles, then one line per row. */
export function csvText(titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [titles, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** A value of a field. */
type Cell = string | number | null;

/**
 * The text of a CSV file of entries, in which each field is a column, in the order in which the fields first appear. A
 * field of an object within an entry is `object.field`, and a list is one text.
 */
export function csvOf(entries: readonly object[]): string {
  const rows = entries.map((entry) => new Map(cellsOf(entry)));
  const titles = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return csvText(
    titles,
    rows.map((row) => titles.map((title) => row.get(title) ?? null)),
  );
}

function cellsOf(entry: object): [string, Cell][] {
  return Object.entries(entry).flatMap(([name, value]): [string, Cell][] =>
    isObject(value)
      ? Object.entries(value).map(([inner, within]) => [`${name}.${inner}`, cellOf(within)])
      : [[name, cellOf(value)]],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isPlainList ? value.join(' ') : JSON.stringify(value);
}
