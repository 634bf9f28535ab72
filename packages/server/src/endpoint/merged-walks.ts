/** Several lists of one order, each with an index of its own, read as one: a list for each of a creator's products. */
import type { Sql } from '../storage/storage.ts';

/** Reads on along one of the lists: the next `limit` rows after a row, or from where the page begins. */
export type Walk<Row> = (sql: Sql, after: Row | undefined, limit: number) => Promise<readonly Row[]>;

/** How far a list has been read. */
interface WalkRead<Row> {
  readonly walk: Walk<Row>;
  readonly rows: readonly Row[];
  readonly isAtEnd: boolean;
}

/**
 * The first rows of several lists together.
 *
 * @param compare the order in which each of the lists comes; no two rows are equal by it
 * @param limit rows at most
 */
export async function mergeWalks<Row>(
  sql: Sql,
  walks: readonly Walk<Row>[],
  compare: (one: Row, other: Row) => number,
  limit: number,
): Promise<readonly Row[]> {
  // Whole pages of thirty products would be read to show one. Instead each is read in parts that grow, as far as needed.
  let part = Math.min(limit, Math.ceil((2 * limit) / Math.max(walks.length, 1)));
  let reads: readonly WalkRead<Row>[] = walks.map((walk) => ({ walk, rows: [], isAtEnd: false }));
  for (;;) {
    const page = reads
      .flatMap(({ rows }) => rows)
      .sort(compare)
      .slice(0, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    // Whether nothing that a list has still to offer comes before the last row of a full page.
    const isReadBeyond = ({ rows, isAtEnd }: WalkRead<Row>) => {
      const deepest = rows.at(-1);
      return isAtEnd || (last !== undefined && deepest !== undefined && compare(deepest, last) >= 0);
    };
    if (reads.every(isReadBeyond)) return page;
    const next: WalkRead<Row>[] = [];
    for (const read of reads) next.push(isReadBeyond(read) ? read : await readOn(sql, read, part));
    reads = next;
    part = Math.min(limit, 2 * part);
  }
}

async function readOn<Row>(sql: Sql, { walk, rows }: WalkRead<Row>, part: number): Promise<WalkRead<Row>> {
  const found = await walk(sql, rows.at(-1), part);
  return { walk, rows: [...rows, ...found], isAtEnd: found.length < part };
}
