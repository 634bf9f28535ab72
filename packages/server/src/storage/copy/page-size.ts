/** How many rows to read at once, so that memory is bounded however wide they are. */

/** How much text a page should have. */
const PAGE_CHARACTERS = 2_000_000;
const MOST_ROWS = 2_000;
/** Of a table whose rows are not known yet. */
const FIRST_ROWS = 100;
/** A page is at most so many times as long as the one before: wide rows may follow narrow ones. */
const MOST_GROWTH = 4;

/** The size of pages of one table. */
export class PageSize {
  #rows = FIRST_ROWS;

  /** For the next page. */
  get rows(): number {
    return this.#rows;
  }

  /** Learns from a page that was read. @param characters how much text it had, in whatever form that is the same for all */
  learn(rows: number, characters: number): void {
    if (rows === 0) return;
    const fitting = Math.floor(PAGE_CHARACTERS / (characters / rows));
    this.#rows = Math.max(1, Math.min(MOST_ROWS, this.#rows * MOST_GROWTH, fitting));
  }
}
