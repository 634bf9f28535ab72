/**
 * Finds events by any combination of filters (rules 10.6). One filter selects an index; the others reject rows, a
 * bounded number for each page (bounded-scans.ts), because a filter may reject every row.
 */
import { PageRoom } from '../../ground/base/page-room.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { NEWEST_ID, pageOfScans } from './bounded-scans.ts';
import { type Event, eventIdBound } from './event.ts';
import type { EventType } from './event-types.ts';
import {
  type EventPath,
  findLicenseNumber,
  followEvents,
  listNotes,
  listProductsOfRequest,
  scanEvents,
} from './scan-store.ts';

/** The filter of a list of events; undefined fields do not filter. */
export interface EventFilter {
  /** The products whose events are listed, each once, 30 at most. Null lists events of all products and of none. */
  readonly productIds: readonly string[] | null;
  /** In addition, the events of this creator that have no product. */
  readonly creatorId?: string | undefined;
  /** The key in its stored form. The caller checks access to the license. */
  readonly licenseKey?: string | undefined;
  /** Each once, ten at most. */
  readonly types?: readonly EventType[] | undefined;
  /** In stored form: `operator`, `creator:ada`, ... */
  readonly actor?: string | undefined;
  /** The subject of the events, such as a variant. */
  readonly subject?: string | undefined;
  readonly requestId?: string | undefined;
  /** Inclusive start and exclusive end, milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A page of events. */
export interface EventPage {
  /** Newest first. */
  readonly events: readonly Event[];
  /** The cursor of the next page; null when no more follow. */
  readonly next: string | null;
}

/** Maximum number of events read for a page besides those on it. */
const MAX_PASSED_OVER = 2000;
/** With more products than this, events of a request are searched among all events. */
const MAX_PRODUCTS = 30;
/** Greater than every event number. */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** Events, newest first; those of one license in the order of their numbers. `after` is `next` of the previous page. */
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
  const { entries, next } = await pageOfScans({
    scans: paths.map((path) => (place, most) => scanEvents(sql, path, place, most)),
    idOf: ({ eventId }) => eventId,
    isMeant: (event) => isMeant(event, filter),
    before: after !== null && after < first ? after : first,
    oldest: filter.since === undefined ? '' : eventIdBound(filter.since),
    limit,
    maxPassedOver: MAX_PASSED_OVER,
  });
  return { events: entries, next };
}

/** The same without the cursor of the next page; complete up to `limit` when no filter besides the path applies. */
export async function listEvents(
  sql: Sql,
  filter: EventFilter,
  after: string | null,
  limit: number,
): Promise<readonly Event[]> {
  return (await pageOfEvents(sql, filter, after, limit)).events;
}

/** Index paths that together meet every matching event exactly once. */
async function pathsOf(sql: Sql, filter: EventFilter): Promise<readonly EventPath[]> {
  const { productIds, creatorId, requestId, actor, types } = filter;
  const ofCreator: EventPath[] = creatorId === undefined ? [] : [['creator', creatorId]];
  if (requestId !== undefined) {
    const products = productIds ?? (await listProductsOfRequest(sql, requestId, MAX_PRODUCTS + 1));
    if (productIds === null && products.length > MAX_PRODUCTS) return [['all']];
    const alone: EventPath[] = productIds === null ? [['requestAlone', requestId]] : ofCreator;
    return [...products.map((productId): EventPath => ['requestProduct', requestId, productId]), ...alone];
  }
  const ofEach = (productId: string | null): readonly EventPath[] => {
    const isAll = productId === null;
    // The index omits events of clients, because they are nearly all events.
    if (actor !== undefined && actor !== 'client')
      return [isAll ? ['actor', actor] : ['productActor', productId, actor]];
    // The index by type omits activations.
    if (types !== undefined && !types.includes('activation.created'))
      return types.map((type): EventPath => (isAll ? ['type', type] : ['productType', productId, type]));
    return [isAll ? ['all'] : ['product', productId]];
  };
  return [...(productIds ?? [null]).flatMap(ofEach), ...ofCreator];
}

/**
 * Events of one license: through the chain of its events; through its notes when old events have been deleted or only
 * notes are requested.
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
  // If the event of the cursor has been deleted, the time in its id shows which notes follow it.
  const isNext = ({ eventId }: Event) => after === null || known !== undefined || eventId < after;
  const found: Event[] = [];
  const room = new PageRoom();
  let place = after;
  let number = known ?? ABOVE_ALL;
  let left = limit + MAX_PASSED_OVER;
  let isCut = types?.length === 1 && types[0] === 'license.noted';
  for (let part = limit + 1; ; part = MAX_PASSED_OVER) {
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

/** Whether an event passes every filter, including the one that selected the index. */
function isMeant(event: Event, filter: EventFilter): boolean {
  const { productIds, creatorId, licenseKey, types, actor, subject, requestId, since, until } = filter;
  const { productId, eventId } = event;
  const isReachable =
    productIds === null ||
    (productId === null ? creatorId !== undefined && event.creatorId === creatorId : productIds.includes(productId));
  return (
    isReachable &&
    (licenseKey === undefined || event.licenseKey === licenseKey) &&
    (types === undefined || types.includes(event.type)) &&
    (actor === undefined || event.actor === actor) &&
    (subject === undefined || event.subject === subject) &&
    (requestId === undefined || event.requestId === requestId) &&
    (since === undefined || eventId >= eventIdBound(since)) &&
    (until === undefined || eventId < eventIdBound(until))
  );
}
