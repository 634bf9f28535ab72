/** Reads whole lists for a file, page by page. */
import { countText } from '../parts/count-words.ts';
import { toast } from '../parts/toast.tsx';

/** Maximum number of entries in one file. */
const MOST_IN_CSV = 10_000;
/** Page size: the maximum of the service. */
export const CSV_PAGE = 1000;

/** The part of a page that a file needs. */
interface CsvPage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | undefined;
}

/**
 * Reads a list from its beginning. Cuts it at the maximum of one file and reports that.
 *
 * @param read returns the page of a cursor; '' is the first page
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
    toast({ title: `The file holds the newest ${countText(all.length)}.`, detail: 'Filter for fewer.' });
  return all;
}
