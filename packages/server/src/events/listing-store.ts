/**
 * Finds events by any combination of filters (rules 10.6). One filter leads along an index; what the others leave out is
 * passed over, a bounded number of events for each page (bounded-walks.ts): a filter may leave out all.
 */
import { PageRoom } from '../page-room.ts';
import type { Sql } from '../storage/storage.ts';
import { NEWEST_ID, pageOfWalks } from './bounded-walks.ts';
import { type Event, eventIdBound } from './event.ts';
import type { EventType } from './event-types.ts';
import {
  type EventPath,
  findLicenseNumber,
  followEvents,
  listNotes,
  listProductsOfRequest,
  walkEvents,
} from './walk-store.ts';

/** Which events to list; what is undefined does not filter. */
export interface EventFilter {
  /** The only products whose events are listed, each once, 30 at most. Null lists those of all products and of none. */
  readonly productIds: readonly string[] | null;
  /** Beside those, the events of no product that are this creator's. */
  readonly creatorId?: string | undefined;
  /** The key as it is stored. Whether the caller may see the license is the caller's to decide. */
  readonly licenseKey?: string | undefined;
  /** Each once, ten at most. */
  readonly types?: readonly EventType[] | undefined;
  /** As it is stored: `operator`, `creator:ada`, ... */
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
  /** The first moment and the moment after the last one, milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A page of events. */
export interface EventPage {
  /** Newest first. */
  readonly events: readonly Event[];
  /** The id with which the next page is asked for; null when there are no more. */
  readonly next: string | null;
}

/** How many events a page passes over, beside those that it holds. */
const MOST_PASSED_OVER = 2000;
/** With more products than these, events of a request are looked for among all events. */
const MOST_PRODUCTS = 30;
/** Follows every number of an event. */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** Events, newest first; those of one license in the order of their numbers. `after` is the `next` of the page before. */
export async function pageOfEvents(
  sql: Sql,
  filter: EventFilter,
  after: string | null,
  limit: number,
): Promise<EventPage> {
  const { licenseKey } = filter;
  if (licenseKey !== undefined) return pageOfLicense(sql, licenseKey, filter, after, limit);
  const paths = await pathsOf(sql, filter);
  const first = filter.until === undefined ? NEWEST_ID : eventIdBound(filter.until);
  const { entries, next } = await pageOfWalks({
    walks: paths.map((path) => (place, most) => walkEvents(sql, path, place, most)),
    idOf: ({ eventId }) => eventId,
    isMeant: (event) => isMeant(event, filter),
    before: after !== null && after < first ? after : first,
    oldest: filter.since === undefined ? '' : eventIdBound(filter.since),
    limit,
    mostPassedOver: MOST_PASSED_OVER,
  });
  return { events: entries, next };
}

/** The same without the place of the next page; complete up to `limit` where nothing but the path filters. */
export async function listEvents(
  sql: Sql,
  filter: EventFilter,
  after: string | null,
  limit: number,
): Promise<readonly Event[]> {
  return (await pageOfEvents(sql, filter, after, limit)).events;
}

/** The walks that together meet every event that is meant, and each of them once. */
async function pathsOf(sql: Sql, filter: EventFilter): Promise<readonly EventPath[]> {
  const { productIds, creatorId, requestId, actor, types } = filter;
  const ofCreator: EventPath[] = creatorId === undefined ? [] : [['creator', creatorId]];
  if (requestId !== undefined) {
    const products = productIds ?? (await listProductsOfRequest(sql, requestId, MOST_PRODUCTS + 1));
    if (productIds === null && products.length > MOST_PRODUCTS) return [['all']];
    const alone: EventPath[] = productIds === null ? [['requestAlone', requestId]] : ofCreator;
    return [...products.map((productId): EventPath => ['requestProduct', requestId, productId]), ...alone];
  }
  const ofEach = (productId: string | null): readonly EventPath[] => {
    const isAll = productId === null;
    // The index has no events of clients: nearly all events are theirs.
    if (actor !== undefined && actor !== 'client')
      return [isAll ? ['actor', actor] : ['productActor', productId, actor]];
    // Nor has that by type the activations.
    if (types !== undefined && !types.includes('activation.created'))
      return types.map((type): EventPath => (isAll ? ['type', type] : ['productType', productId, type]));
    return [isAll ? ['all'] : ['product', productId]];
  };
  return [...(productIds ?? [null]).flatMap(ofEach), ...ofCreator];
}

/**
 * Events of one license: by the chain of its events; by its notes where old events have been deleted, and where nothing
 * but notes is asked for.
 */
async function pageOfLicense(
  sql: Sql,
  licenseKey: string,
  filter: EventFilter,
  after: string | null,
  limit: number,
): Promise<EventPage> {
  const { types } = filter;
  const known = after === null ? undefined : await findLicenseNumber(sql, licenseKey, after);
  // Where the event of the cursor has been deleted meanwhile, the time in its id tells which notes come after it.
  const isNext = ({ eventId }: Event) => after === null || known !== undefined || eventId < after;
  const found: Event[] = [];
  const room = new PageRoom();
  let place = after;
  let number = known ?? ABOVE_ALL;
  let left = limit + MOST_PASSED_OVER;
  let isCut = types?.length === 1 && types[0] === 'license.noted';
  for (let part = limit + 1; ; part = MOST_PASSED_OVER) {
    const asked = Math.min(part, left);
    const events: Event[] = isCut
      ? await listNotes(sql, licenseKey, number, asked)
      : await followEvents(sql, licenseKey, place, asked);
    left -= events.length;
    for (const event of events) {
      if (isNext(event) && isMeant(event, filter)) {
        if (found.length === limit || !room.takes(event)) return { events: found, next: found.at(-1)?.eventId ?? null };
        found.push(event);
      }
      place = event.eventId;
      number = event.licenseNumber ?? number;
    }
    if (events.length < asked) {
      const isFirst = events.at(-1)?.previousEventId === null;
      if (isCut || isFirst) return { events: found, next: null };
      isCut = true;
    } else if (left <= 0) return { events: found, next: place };
  }
}

/** Whether an event passes every filter, those that led to it included. */
function isMeant(event: Event, filter: EventFilter): boolean {
  const { productIds, creatorId, licenseKey, types, actor, requestId, since, until } = filter;
  const { productId, eventId } = event;
  const isReachable =
    productIds === null ||
    (productId === null ? creatorId !== undefined && event.creatorId === creatorId : productIds.includes(productId));
  return (
    isReachable &&
    (licenseKey === undefined || event.licenseKey === licenseKey) &&
    (types === undefined || types.includes(event.type)) &&
    (actor === undefined || event.actor === actor) &&
    (requestId === undefined || event.requestId === requestId) &&
    (since === undefined || eventId >= eventIdBound(since)) &&
    (until === undefined || eventId < eventIdBound(until))
  );
}
