/** Inserts many events at once into the table, on a separate connection, and reads lists of them. */
import { after, before } from 'node:test';
import { toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintOrderedUuid } from '../../../src/ground/base/random.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { type EventFilter, pageOfEvents } from '../../../src/platform/events/listing-store.ts';
import { insertEvents } from '../../../src/platform/events/store.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { type Engine, freshDatabase } from '../../support/databases.ts';
import { rowOf } from '../../support/own-connection.ts';
import { type CountingSql, countRowsVisited } from '../../support/rows-visited.ts';
import { unrecorded } from '../../support/unrecorded.ts';

/** An event at a moment in milliseconds since 1970; fields that are not given are null. */
export function eventAt(now: number, fields: Partial<Event> & Pick<Event, 'type'>): Event {
  return {
    ...{ licenseKey: null, licenseNumber: null, previousEventId: null, productId: null, subject: null },
    ...{ before: null, after: null, creatorId: null, actor: 'operator', actorName: null, requestId: null },
    eventId: `evt_${mintOrderedUuid(now)}`,
    occurredAt: toTimestamp(now),
    ...fields,
  };
}

/** Inserts events into the table, a thousand at a time. */
export async function insertAll(storage: Storage, events: readonly Event[]): Promise<void> {
  for (let first = 0; first < events.length; first += 1000)
    await storage.transaction((tx) => insertEvents(unrecorded(tx), events.slice(first, first + 1000)));
}

/** The ids of events, in their order. */
export const idsOf = (events: readonly Pick<Event, 'eventId'>[]): string[] => events.map(({ eventId }) => eventId);

/** The number of events that wait for the indexes by product and by request. */
export async function countWaiting(database: Database): Promise<number> {
  return Number((await rowOf(database, 'select count(*) as "rows" from event where unindexed is not null'))?.rows);
}

/** A database for a group of tests, filled before them, and a connection to it that counts the rows that it visits. */
export function countedEvents(
  engine: Engine,
  fill: (storage: Storage) => Promise<void>,
): { readonly database: Database; readonly counting: CountingSql } {
  const [database, counting] = [{} as Database, {} as CountingSql];
  let remove: () => Promise<void>;
  before(async () => {
    const fresh = await freshDatabase(engine);
    ({ remove } = fresh);
    Object.assign(database, fresh.database);
    const storage = await openStorage(database);
    await fill(storage);
    await storage.close();
    Object.assign(counting, await countRowsVisited(database));
  });
  after(async () => {
    await counting.close();
    await remove();
  });
  return { database, counting };
}

/** Reads every page of a list; returns the ids of its events, and the most rows that a page visited. */
export async function readAll(
  counting: CountingSql,
  filter: EventFilter,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly rows: number }> {
  const ids: string[] = [];
  let rows = 0;
  for (let place: string | null = null; ; ) {
    const page = await pageOfEvents(counting.sql, filter, place, limit);
    rows = Math.max(rows, counting.done().rows);
    ids.push(...idsOf(page.events));
    if (page.next === null) return { ids, rows };
    place = page.next;
  }
}
