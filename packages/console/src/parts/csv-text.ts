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
