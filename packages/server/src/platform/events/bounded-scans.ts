/**
 * Reads a page from several lists, each ordered by id, newest first, and filters it. A page skips a bounded number of
 * entries that the filter rejects, so it may be short or even empty although more follow. Where filters reject few
 * entries, platform/endpoint/merged-scans.ts fills each page instead.
 */
import { countThatFits } from '../../ground/base/page-room.ts';

/** Reads the entries of a list before the id `after`, newest first. */
export type BoundedScan<Entry> = (after: string, limit: number) => Promise<readonly Entry[]>;

/** A request for a page. */
export interface PageWanted<Entry> {
  /** Lists that together hold every candidate entry exactly once. */
  readonly scans: readonly BoundedScan<Entry>[];
  /** The id of an entry; unique, and greater for newer entries. */
  readonly idOf: (entry: Entry) => string;
  /** Whether an entry passes the filter. */
  readonly isMeant: (entry: Entry) => boolean;
  /** The page holds entries before this id; {@link NEWEST_ID} starts with the newest. */
  readonly before: string;
  /** No entry before this id passes the filter; '' when unknown. */
  readonly oldest: string;
  /** Maximum number of entries. */
  readonly limit: number;
  /** Maximum number of entries read besides those on the page. */
  readonly maxPassedOver: number;
}

/** A page, newest first. */
export interface BoundedPage<Entry> {
  readonly entries: readonly Entry[];
  /** The id before which the next page starts; null when no more follow. */
  readonly next: string | null;
}

/** Sorts after every id. */
export const NEWEST_ID = '~';

/** The progress of reading one list. */
interface ScanRead<Entry> {
  readonly scan: BoundedScan<Entry>;
  /** The id of the last entry read; null before the first. */
  place: string | null;
  isAtEnd: boolean;
}

/** Reads a page. */
export async function pageOfScans<Entry>(wanted: PageWanted<Entry>): Promise<BoundedPage<Entry>> {
  const { idOf, isMeant, before, oldest, limit, maxPassedOver } = wanted;
  const reads = wanted.scans.map((scan): ScanRead<Entry> => ({ scan, place: null, isAtEnd: false }));
  const found: Entry[] = [];
  let left = limit + maxPassedOver;
  // Reading whole pages of thirty products would waste most rows, so each list is read in growing parts as needed.
  let part = Math.min(limit + 1, Math.max(10, Math.ceil((2 * limit) / Math.max(reads.length, 1))));
  for (;;) {
    // Every entry after this place is known: the list that has been read least far decides.
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
      const entries = await read.scan(read.place ?? before, part);
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
