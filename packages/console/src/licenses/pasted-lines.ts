/** The lines of a pasted list. Pure. */

/** Maximum number of lines of one list. */
export const MAX_LINES = 200;

/** Five groups of five letters and digits, with or without marks between them. */
const KEY = /^[A-Z0-9]{5}(?:[\s\p{Pd}]?[A-Z0-9]{5}){4}$/iu;
/** The title of a column, in the first row of a spreadsheet. */
const TITLE =
  /^(?:(?:license|licence|product|activation|customer|order|purchase|transaction|buyer)s?[\s_-]?)?(?:keys?|e-?mails?|address(?:es)?|ids?|numbers?|no|licen[cs]es?|customers?|orders?|purchases?)$/i;

/**
 * The lines that name licenses: keys, addresses, ids of purchases. Takes lists with any separators, quoted cells and a
 * row of titles. Of a row with several cells it takes the keys, else the addresses, else all cells.
 */
export function linesIn(text: string): readonly string[] {
  const rows = text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map(cellsIn)
    .filter((cells) => cells.length > 0);
  const [first] = rows;
  const hasTitles = rows.length > 1 && first !== undefined && first.some((cell) => TITLE.test(cell));
  return (hasTitles ? rows.slice(1) : rows).flatMap(namesIn);
}

/** The cells of a row, divided by tabs, semicolons or commas, without quotes. */
function cellsIn(row: string): readonly string[] {
  return row
    .split(/[\t;,]/)
    .map((cell) =>
      cell
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .trim(),
    )
    .flatMap(addressesOrCell)
    .filter((cell) => cell !== '');
}

/** The addresses in a cell, as `Ada <ada@example.com>` or with spaces between them; the cell itself without any. */
function addressesOrCell(cell: string): readonly string[] {
  const addresses = cell.match(/[^\s<>()"']+@[^\s<>()"']+/g);
  return addresses ?? [cell];
}

function namesIn(cells: readonly string[]): readonly string[] {
  const keys = cells.filter((cell) => KEY.test(cell));
  if (keys.length > 0) return keys;
  const addresses = cells.filter((cell) => cell.includes('@'));
  return addresses.length > 0 ? addresses : cells;
}
