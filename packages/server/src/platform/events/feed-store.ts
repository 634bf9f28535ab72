/** SQL of the feed: event_feed holds events in commit order. record.ts writes it with the events (store.ts). */
import { listOf, type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { type Event, eventIdBound } from './event.ts';
import { eventTable } from './store.ts';

/**
 * The fields of an event that decide where it is sent. The others are read for the events that are sent, because the
 * facts before and after a change take three times as much, and most events fit few destinations.
 */
const FEED_FIELDS = [
  'eventId',
  'type',
  'licenseKey',
  'productId',
  'creatorId',
  'subject',
] as const satisfies readonly (keyof Event)[];

const readPage = statement(
  'event_feed.read',
  (dialect) => `select f.place as "position", ${eventTable.select('e', FEED_FIELDS)}
    from (select g.place, g.event_id from event_feed g
          where g.place > $1 and g.place <= $2 order by g.place limit $3) f
      join event e on e.event_id = f.event_id
    where (cast($4 as text) is null or e.type ${dialect.among('$4')})
      and (cast($5 as text) is null or e.product_id ${dialect.among('$5')} or e.creator_id ${dialect.among('$6')})
    order by f.place`,
);

const findEndOfPage = statement(
  'event_feed.find_end_of_page',
  `select f.place as "position" from event_feed f
   where f.place > $1 and f.place <= $2 order by f.place limit 1 offset $3`,
);

const findNext = statement(
  'event_feed.find_next',
  'select f.place as "position", f.event_id as "eventId" from event_feed f where f.place > $1 order by f.place limit 1',
);

const listAmong = statement(
  'event_feed.list_among',
  (dialect) => `select f.place as "position", f.event_id as "eventId" from event_feed f
    where f.place > $1 and f.place <= $2 and f.event_id ${dialect.among('$3')}`,
);

const findLast = statement('event_feed.find_last', (dialect) => dialect.lastNumber('event_feed', 'place'));

const listOpen = statement('event_feed.list_open', (dialect) => dialect.openWriters('event_feed'));

// The last row stays, so that SQLite continues its numbering after it, in a copy as well.
const deleteOld = statement(
  'event_feed.delete_old',
  `delete from event_feed where place in
     (select f.place from event_feed f
      where f.place > 0
        and f.place < (select l.place from event_feed l where l.place > 0 order by l.place desc limit 1)
      order by f.place limit $2)
   and event_id < $1`,
);

const continueAfterCopy = writeStatement('event_feed.continue', (dialect) =>
  dialect.continueNumbers('event_feed', 'place'),
);

/** An event of the feed. */
export type FeedEvent = Pick<Event, (typeof FEED_FIELDS)[number]>;

/** An event at its position in the feed. */
export interface FeedEntry {
  readonly position: number;
  readonly event: FeedEvent;
}

/** The events that a read of the feed returns. Any other event costs a quarter of a returned one. */
export interface WantedEvents {
  /** Null for all types. */
  readonly types: readonly string[] | null;
  /** Events of these products, and those of these creators; null for all events. */
  readonly of: { readonly productIds: readonly string[]; readonly creatorIds: readonly string[] } | null;
}

/**
 * Returns the wanted events after one position and up to another, without deleted ones.
 *
 * @param upTo ends a page of at most `limit` positions
 */
export async function readEntries(
  sql: Sql,
  after: number,
  upTo: number,
  limit: number,
  { types, of }: WantedEvents,
): Promise<readonly FeedEntry[]> {
  const rows = await sql.all<StoredRow & { readonly position: number }>(
    readPage,
    after,
    upTo,
    limit,
    types && listOf(types),
    of && listOf(of.productIds),
    of && listOf(of.creatorIds),
  );
  return rows.map(({ position, ...row }) => ({ position, event: eventTable.restore<FeedEvent>(row) }));
}

/** Returns the last of `limit` positions after one position; undefined if there are fewer up to another. */
export async function findPageEnd(sql: Sql, after: number, last: number, limit: number): Promise<number | undefined> {
  return (await sql.first<{ position: number }>(findEndOfPage, after, last, limit - 1))?.position;
}

/** The highest assigned position, including those of open and rolled-back transactions; 0 before the first. */
export async function findLastPosition(sql: Sql): Promise<number> {
  return (await sql.first<{ position: number }>(findLast))?.position ?? 0;
}

/** The first stored position after a position; undefined if there is none. */
export function findNextEntry(
  sql: Sql,
  after: number,
): Promise<{ readonly position: number; readonly eventId: string } | undefined> {
  return sql.first(findNext, after);
}

/** Returns those of the given events that the feed holds after one position and up to another. */
export async function listEntriesAmong(
  sql: Sql,
  after: number,
  last: number,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ eventId: string }>(listAmong, after, last, listOf(eventIds));
  return new Set(rows.map(({ eventId }) => eventId));
}

/**
 * Returns the position before the first event of a moment or later. Positions follow commits, and times follow the
 * clocks of the nodes, so a binary search is exact only up to the differences between the two.
 *
 * @param moment milliseconds since 1970
 */
export async function findPositionBefore(sql: Sql, moment: number): Promise<number> {
  const bound = eventIdBound(moment);
  const first = await findNextEntry(sql, 0);
  let high = await findLastPosition(sql);
  let low = Math.min(high, (first?.position ?? 1) - 1);
  // Every event up to `low` is earlier, and every event after `high` is not.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await findNextEntry(sql, middle);
    if (next === undefined || next.position > high || next.eventId >= bound) high = middle;
    else low = next.position;
  }
  return low;
}

/** The open transactions that may hold a position of the feed. Empty on SQLite, which has one writer. */
export async function listOpenWriters(sql: Sql): Promise<readonly string[]> {
  return (await sql.all<{ writer: string }>(listOpen)).map(({ writer }) => writer);
}

/** Continues positions after the copied rows, so that no position is assigned twice. */
export async function continueFeed(tx: Tx): Promise<void> {
  await tx.all(continueAfterCopy);
}

/** Deletes the oldest entries with events before an event id, at most `most`; returns the number deleted. */
export function deleteOldEntries(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOld, before, most);
}
