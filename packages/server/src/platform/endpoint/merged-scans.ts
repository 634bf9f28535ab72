/**
 * Reads several lists that share one order, each with its own index, as one list; for example a list per product of a
 * creator.
 */
import type { Sql } from '../../storage/contract/storage.ts';

/** Continues one of the lists: returns the next `limit` rows after a row, or from the start of the page. */
export type IndexScan<Row> = (sql: Sql, after: Row | undefined, limit: number) => Promise<readonly Row[]>;

/** Compares rows by some fields, of which the first that differs decides; the greatest come first, as in most lists. */
export function fallingBy<Field extends string>(...fields: readonly Field[]) {
  type Row = Readonly<Record<Field, string | number>>;
  return (one: Row, other: Row): number => {
    for (const field of fields) if (one[field] !== other[field]) return one[field] < other[field] ? 1 : -1;
    return 0;
  };
}

/** The part of a list that has been read. */
interface ScanRead<Row> {
  readonly scan: IndexScan<Row>;
  readonly rows: readonly Row[];
  readonly isAtEnd: boolean;
}

/**
 * Returns the first rows of several lists merged.
 *
 * @param compare the common order of the lists; no two rows compare equal
 * @param limit maximum number of rows
 */
export async function mergeScans<Row>(
  sql: Sql,
  scans: readonly IndexScan<Row>[],
  compare: (one: Row, other: Row) => number,
  limit: number,
): Promise<readonly Row[]> {
  // Reading a full page of each of thirty products would be wasteful for one page. Instead each list is read in growing
  // parts, as far as needed.
  let part = Math.min(limit, Math.ceil((2 * limit) / Math.max(scans.length, 1)));
  let reads: readonly ScanRead<Row>[] = scans.map((scan) => ({ scan, rows: [], isAtEnd: false }));
  for (;;) {
    const page = reads
      .flatMap(({ rows }) => rows)
      .sort(compare)
      .slice(0, limit);
    const last = page.length < limit ? undefined : page.at(-1);
    // True if no unread row of a list comes before the last row of a full page.
    const isReadBeyond = ({ rows, isAtEnd }: ScanRead<Row>) => {
      const deepest = rows.at(-1);
      return isAtEnd || (last !== undefined && deepest !== undefined && compare(deepest, last) >= 0);
    };
    if (reads.every(isReadBeyond)) return page;
    const next: ScanRead<Row>[] = [];
    for (const read of reads) next.push(isReadBeyond(read) ? read : await readOn(sql, read, part));
    reads = next;
    part = Math.min(limit, 2 * part);
  }
}

async function readOn<Row>(sql: Sql, { scan, rows }: ScanRead<Row>, part: number): Promise<ScanRead<Row>> {
  const found = await scan(sql, rows.at(-1), part);
  return { scan, rows: [...rows, ...found], isAtEnd: found.length < part };
}
