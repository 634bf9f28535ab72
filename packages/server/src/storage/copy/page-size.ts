/** Chooses the number of rows per page, so that memory is bounded for rows of any width. */

/** Target size of a page in characters. */
const PAGE_CHARACTERS = 2_000_000;
const MAX_ROWS = 2_000;
/** Rows of the first page, before the width of the rows is known. */
const FIRST_ROWS = 100;
/** Maximum growth from one page to the next: wide rows may follow narrow ones. */
const MAX_GROWTH = 4;

/** The size of pages of one table. */
export class PageSize {
  #rows = FIRST_ROWS;

  /** Number of rows for the next page. */
  get rows(): number {
    return this.#rows;
  }

  /** Adapts the size to a page that was read. @param characters size of its text, in any consistent form */
  learn(rows: number, characters: number): void {
    if (rows === 0) return;
    const fitting = Math.floor(PAGE_CHARACTERS / (characters / rows));
    this.#rows = Math.max(1, Math.min(MAX_ROWS, this.#rows * MAX_GROWTH, fitting));
  }
}
