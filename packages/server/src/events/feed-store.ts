/** SQL of the feed: event_feed holds events in commit order. record.ts writes it with the events (store.ts). */
import { type Sql, statement, type Tx, writeStatement } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { Event } from './event.ts';
import { eventTable } from './store.ts';

const readPage = statement(
  'event_feed.read',
  `select f.place as "position", ${eventTable.select('e')}
   from event_feed f left join event e on e.event_id = f.event_id
   where f.place > $1 and f.place <= $2 order by f.place limit $3`,
);

const findLast = statement('event_feed.find_last', (dialect) => dialect.lastOfFeed);

const listOpen = statement('event_feed.list_open', (dialect) => dialect.openWritersOfFeed);

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

const continueAfterCopy = writeStatement('event_feed.continue', (dialect) => dialect.continueFeed);

/** An event at its position in the feed. */
export interface FeedEntry {
  readonly position: number;
  readonly event: Event;
}

/** A page of the feed. Positions whose event was deleted have no event. */
export async function readEntries(
  sql: Sql,
  after: number,
  last: number,
  limit: number,
): Promise<readonly { readonly position: number; readonly event: Event | null }[]> {
  const rows = await sql.all<StoredRow & { readonly position: number; readonly eventId: string | null }>(
    readPage,
    after,
    last,
    limit,
  );
  return rows.map(({ position, ...row }) => ({
    position,
    event: row.eventId === null ? null : eventTable.restore<Event>(row),
  }));
}

/** The highest assigned position, including those of open and rolled-back transactions; 0 before the first. */
export async function findLastPosition(sql: Sql): Promise<number> {
  return (await sql.first<{ position: number }>(findLast))?.position ?? 0;
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
