/** Finds the latest change of a thing since a recorded one. */
import type { Sql } from '../../storage/contract/storage.ts';
import { type Event, eventTimeOf, isEventId } from './event.ts';
import { type EventFilter, pageOfEvents } from './listing-store.ts';

const PAGE = 200;
const MAX_PAGES = 10;

/**
 * Finds the latest event after a given one. Both pass the filter, and the found one passes `isMeant`.
 *
 * @returns null if there is none; undefined if the given event is not among the last 2000 that pass the filter
 */
export async function latestSince(
  sql: Sql,
  filter: EventFilter,
  eventId: string,
  isMeant: (event: Event) => boolean,
): Promise<Event | null | undefined> {
  if (!isEventId(eventId)) return undefined;
  // The events of a license have the order of their numbers, which may differ from that of their times.
  const bounded = filter.licenseKey === undefined ? { ...filter, since: eventTimeOf(eventId) } : filter;
  let latest: Event | null = null;
  let after: string | null = null;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await pageOfEvents(sql, bounded, after, PAGE);
    for (const event of page.events) {
      if (event.eventId === eventId) return latest;
      if (latest === null && isMeant(event)) latest = event;
    }
    after = page.next;
    if (after === null) return undefined;
  }
  return undefined;
}
