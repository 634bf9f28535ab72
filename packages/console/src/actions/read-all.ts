/** Reads whole lists for files, page by page. Loaded on demand. */
import { countText } from '../parts/count-words.ts';
import { toast } from '../parts/toast.tsx';
import { toastRefusal } from './toast-refusal.ts';

/** Maximum number of entries in one file. */
const MAX_IN_FILE = 10_000;

/** The part of a page that a file needs. */
export interface FilePage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | undefined;
}

/** Reads the page of a cursor; the first page if it is undefined. */
export type ReadPage<Entry> = (cursor: string | undefined) => Promise<FilePage<Entry>>;

/**
 * Reads a list from its beginning. Cuts it at the maximum of one file, and reports that. Returns null after a refusal,
 * which it reports.
 */
export async function readAll<Entry>(read: ReadPage<Entry>): Promise<readonly Entry[] | null> {
  const all: Entry[] = [];
  let cursor: string | undefined;
  try {
    do {
      const page = await read(cursor);
      all.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== undefined && all.length < MAX_IN_FILE);
  } catch (error) {
    toastRefusal(error);
    return null;
  }
  const entries = all.slice(0, MAX_IN_FILE);
  if (cursor !== undefined || entries.length < all.length)
    toast({ title: `The file holds the first ${countText(entries.length)}.`, detail: 'Filter for fewer.' });
  return entries;
}
