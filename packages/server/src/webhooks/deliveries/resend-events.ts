import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { listOfText, success } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { findLastPosition, listEntriesAmong } from '../../platform/events/feed-store.ts';
import { lockDestination } from '../destinations/change-one.ts';
import { MAX_WAITING } from '../destinations/destination.ts';
import { destinationIdField } from '../destinations/fields.ts';
import { MAX_BEHIND } from '../destinations/left-store.ts';
import { noteChange } from '../destinations/turn-store.ts';
import { findFittingEvents } from './fitting-events.ts';
import { countWaitingDeliveries, insertResent } from './resend-store.ts';
import { listDeliveryIds } from './store.ts';

/** Maximum number of events in a request. */
const MAX_EVENTS = 100;

/** POST /resendEvents (rules 12.6). */
export const resendEvents = endpoint({
  path: '/resendEvents',
  access: 'admin',
  needs: 'support',
  summary: 'Send events to a destination again',
  description:
    'Sends events that the receiver lost, or that were given up. All of them must fit the destination, and may be older ' +
    'than it. An event that has yet to be sent is not sent twice. They take at most a quarter of its requests, and a ' +
    'paused destination gets them when it is resumed.',
  example: {
    after: ['/listEvents', '/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId, eventIds: [MADE_BY_SERVICE.eventId] },
    reply: { success: true, queued: 1 },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    eventIds: listOfText(`Ids of events, 1 to ${MAX_EVENTS}, as /listEvents shows them.`, MAX_EVENTS),
  }),
  reply: success({
    queued: Type.Integer({ description: 'Events that are sent again, without those that have yet to be sent.' }),
  }),
  refusals: ['destination_not_found', 'event_not_found', 'destination_catching_up', 'too_many_waiting'],
}).write(async (tx, request) => {
  const { origin } = request;
  const eventIds = [...new Set(request.fields.eventIds)];
  if (eventIds.length === 0)
    return refuse('invalid_field', { details: { message: 'eventIds must name at least one event' } });
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  const { destination, progress } = found;
  const events = await findFittingEvents(tx, destination, eventIds, 'eventIds');
  if (isRefusal(events)) return events;
  const { destinationId } = destination;
  // Events after the position are sent in their turn; a second delivery could precede earlier ones of their license.
  const last = await findLastPosition(tx);
  const unread = await listEntriesAmong(tx, progress.position, progress.position + MAX_BEHIND, eventIds);
  if (last > progress.position + MAX_BEHIND) {
    const stored = await listDeliveryIds(tx, destinationId, eventIds);
    if (eventIds.some((eventId) => !unread.has(eventId) && !stored.has(eventId)))
      return refuse('destination_catching_up');
  }
  const resent = events.filter(({ eventId }) => !unread.has(eventId));
  if (resent.length === 0) return { success: true, queued: 0 };
  if ((await countWaitingDeliveries(tx, destinationId)) + resent.length > MAX_WAITING)
    return refuse('too_many_waiting', { details: { limit: MAX_WAITING } });
  await insertResent(tx, destinationId, resent, origin.now);
  await noteChange(tx, destinationId);
  return { success: true, queued: resent.length };
});
