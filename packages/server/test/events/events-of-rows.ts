/** Inserts many events at once into the table, on a separate connection. */

import { toTimestamp } from '../../src/base/clock.ts';
import { mintOrderedUuid } from '../../src/base/random.ts';
import type { Event } from '../../src/events/event.ts';
import { insertEvents } from '../../src/events/store.ts';
import type { Storage } from '../../src/storage/storage.ts';

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
    await storage.transaction((tx) => insertEvents(tx, events.slice(first, first + 1000)));
}
