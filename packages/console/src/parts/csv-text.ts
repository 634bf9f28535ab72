/** Lists as CSV (RFC 4180) that a spreadsheet opens without running anything in it. */

/** A value as one field. An apostrophe precedes text that a spreadsheet would take for a formula. */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a CSV file: one line of titles, then one line per row. */
export function csvText(titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [titles, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
