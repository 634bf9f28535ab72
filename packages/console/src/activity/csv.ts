/** Whole lists for a file, page after page. */
import { toast } from '../parts/toast.tsx';

/** The most entries that one file holds. */
const MOST_IN_CSV = 10_000;
/** Entries of one page: the most that the service answers. */
export const CSV_PAGE = 1000;

/** A page as far as a file needs it. */
interface CsvPage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | undefined;
}

/**
 * Reads a list from its beginning. What does not fit into one file is left out, and said.
 *
 * @param read answers the page of a cursor; '' is the first
 */
export async function readAll<Entry>(read: (cursor: string) => Promise<CsvPage<Entry>>): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  let cursor = '';
  do {
    const page = await read(cursor);
    all.push(...page.entries);
    cursor = page.nextCursor ?? '';
  } while (cursor !== '' && all.length < MOST_IN_CSV);
  if (cursor !== '')
    toast({ title: `The file holds the newest ${all.length.toLocaleString()}.`, detail: 'Filter for fewer.' });
  return all;
}
