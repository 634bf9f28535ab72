/**
 * A page of several lists that are each ordered by id, newest first, read together and filtered. What the filter leaves out
 * is passed over, and a page passes over a bounded number of entries: it may hold fewer than were asked for, even none, and
 * still have more to come. Where filters leave out few, endpoint/merged-walks.ts fills each page instead.
 */
import { countThatFits } from '../page-room.ts';

/** Entries of a list from the one before the id `after` on, newest first. */
export type BoundedWalk<Entry> = (after: string, limit: number) => Promise<readonly Entry[]>;

/** What a page is made of. */
export interface PageWanted<Entry> {
  /** Lists that together hold every entry that is meant, and each of them once. */
  readonly walks: readonly BoundedWalk<Entry>[];
  /** The id of an entry; of two entries the newer one has the greater id, and no two have the same. */
  readonly idOf: (entry: Entry) => string;
  /** Whether an entry passes the filter. */
  readonly isMeant: (entry: Entry) => boolean;
  /** The page holds what comes before this id; {@link NEWEST_ID} begins with the newest. */
  readonly before: string;
  /** Nothing before this id is meant; '' where that is unknown. */
  readonly oldest: string;
  /** Entries at most. */
  readonly limit: number;
  /** How many entries the page looks at beside those that it holds. */
  readonly mostPassedOver: number;
}

/** A page, newest first. */
export interface BoundedPage<Entry> {
  readonly entries: readonly Entry[];
  /** The id before which the next page begins; null when there are no more. */
  readonly next: string | null;
}

/** Follows every id. */
export const NEWEST_ID = '~';

/** How far a list has been read. */
interface WalkRead<Entry> {
  readonly walk: BoundedWalk<Entry>;
  /** The id of the last entry read; null before the first. */
  place: string | null;
  isAtEnd: boolean;
}

/** Reads a page. */
export async function pageOfWalks<Entry>(wanted: PageWanted<Entry>): Promise<BoundedPage<Entry>> {
  const { idOf, isMeant, before, oldest, limit, mostPassedOver } = wanted;
  const reads = wanted.walks.map((walk): WalkRead<Entry> => ({ walk, place: null, isAtEnd: false }));
  const found: Entry[] = [];
  let left = limit + mostPassedOver;
  // Whole pages of thirty products would be read to show one. Each is read in parts that grow, as far as needed.
  let part = Math.min(limit + 1, Math.max(10, Math.ceil((2 * limit) / Math.max(reads.length, 1))));
  for (;;) {
    // Every entry after this place is known: the walk that has come least far decides.
    const behind = reads.filter(({ isAtEnd }) => !isAtEnd);
    const place = behind.reduce((shallowest, read) => max(shallowest, read.place ?? NEWEST_ID), '');
    const known = found
      .filter((entry) => idOf(entry) >= place)
      .sort((one, other) => (idOf(one) < idOf(other) ? 1 : -1));
    const isRead = behind.every((read) => read.place !== null);
    const most = countThatFits(known, limit);
    const last = known[most - 1];
    if (known.length > most && last !== undefined) return { entries: known.slice(0, most), next: idOf(last) };
    if (behind.length === 0) return { entries: known, next: null };
    if (isRead && left <= 0) return { entries: known, next: place };
    for (const read of behind.filter((each) => (each.place ?? NEWEST_ID) === place)) {
      const entries = await read.walk(read.place ?? before, part);
      left -= entries.length;
      const inTime = entries.filter((entry) => idOf(entry) >= oldest);
      found.push(...inTime.filter(isMeant));
      read.isAtEnd = entries.length < part || inTime.length < entries.length;
      const deepest = entries.at(-1);
      read.place = deepest === undefined ? read.place : idOf(deepest);
    }
    part = Math.max(1, Math.min(left, 2 * part));
  }
}

function max(one: string, other: string): string {
  return one > other ? one : other;
}
