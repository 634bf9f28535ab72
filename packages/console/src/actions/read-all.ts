/** Reads whole lists, page by page. Loaded on demand. */
import { countText } from '../parts/count-words.ts';
import { toast } from '../parts/toast.tsx';
import { toastRefusal } from './toast-refusal.ts';

/** Maximum number of entries that are read of one list. */
const MAX_READ = 10_000;

/** The part of a page that is read. */
export interface FilePage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | undefined;
}

/** Reads the page of a cursor; the first page if it is undefined. */
export type ReadPage<Entry> = (cursor: string | undefined) => Promise<FilePage<Entry>>;

/**
 * Reads a list from its beginning. Cuts it at the maximum, and reports that. Returns null after a refusal, which it
 * reports.
 *
 * @param cutText the message about a cut list
 * @param onRead told the number of entries after each page
 */
export async function readAll<Entry>(
  read: ReadPage<Entry>,
  cutText = (count: string) => `The file holds the first ${count}.`,
  onRead: (count: number) => void = () => {},
): Promise<readonly Entry[] | null> {
  const all: Entry[] = [];
  let cursor: string | undefined;
  try {
    do {
      const page = await read(cursor);
      all.push(...page.entries);
      cursor = page.nextCursor;
      onRead(all.length);
    } while (cursor !== undefined && all.length < MAX_READ);
  } catch (error) {
    toastRefusal(error);
    return null;
  }
  const entries = all.slice(0, MAX_READ);
  if (cursor !== undefined || entries.length < all.length)
    toast({ title: cutText(countText(entries.length)), detail: 'Filter for fewer.' });
  return entries;
}
