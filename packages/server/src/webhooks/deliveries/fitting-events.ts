/** The events that a caller names for a destination: checked against the owner and the settings of the destination. */

import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Event } from '../../platform/events/event.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Destination } from '../destinations/destination.ts';
import { isOwnedBy, matches } from '../destinations/sendable.ts';
import { listOwnersOf } from '../destinations/store.ts';
import { findEventsById } from './store.ts';

/**
 * Returns the named events in the given order. Events that the owner of the destination does not get are treated as
 * missing ones.
 *
 * @param field the name of the field, for the refusal of an event of another type or product
 */
export async function findFittingEvents(
  sql: Sql,
  destination: Destination,
  eventIds: readonly string[],
  field: string,
): Promise<readonly Event[] | Refusal<'event_not_found' | 'invalid_field'>> {
  const found = await findEventsById(sql, eventIds);
  const productIds = [...found.values()].flatMap(({ productId }) => productId ?? []);
  const owners = await listOwnersOf(sql, [...new Set(productIds)]);
  const events: Event[] = [];
  for (const eventId of eventIds) {
    const event = found.get(eventId);
    if (event === undefined || !isOwnedBy(destination, event, owners)) return refuse('event_not_found');
    if (!matches(destination, event, owners))
      return refuse('invalid_field', { details: { message: `${field} must name events that fit the destination` } });
    events.push(event);
  }
  return events;
}
