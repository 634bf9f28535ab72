/** The events that the database returns to the sender: those that may fit a destination. */
import { includesType } from '../destinations/destination.ts';
import type { SentTo } from '../destinations/sendable.ts';
import { eventTypes } from '../events/event-types.ts';
import type { WantedEvents } from '../events/feed-store.ts';

/** The database compares each event with so many names at most; with more of them, it returns all events. */
const MOST_NAMES = 100;

/** Returns the events that may fit one of these destinations, and maybe others: `matches` decides. */
export function wantedBy(destinations: Iterable<Pick<SentTo, 'creatorId' | 'types' | 'productIds'>>): WantedEvents {
  const selections = new Set<string>();
  const productIds = new Set<string>();
  const creatorIds = new Set<string>();
  let areOfAll = false;
  for (const destination of destinations) {
    for (const selection of destination.types) selections.add(selection);
    if (destination.productIds !== null) for (const productId of destination.productIds) productIds.add(productId);
    else if (destination.creatorId === null) areOfAll = true;
    else creatorIds.add(destination.creatorId);
    areOfAll ||= productIds.size + creatorIds.size > MOST_NAMES;
    if (areOfAll && selections.has('*')) break;
  }
  const named = [...selections];
  return {
    types: selections.has('*') ? null : eventTypes.filter((type) => includesType(named, type)),
    of: areOfAll ? null : { productIds: [...productIds], creatorIds: [...creatorIds] },
  };
}
