/** Refusals about destinations of events. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const destinationRefusals = refusals('destinations', {
  destination_not_found: refusal(404, 'Destination not found', {
    means: 'There is no such destination, or it belongs to another creator.',
    remedy: 'Take its id from /listDestinations.',
    console: ['There is no such destination.', NOT_YOURS],
  }),
  too_many_destinations: refusal(409, 'Too many destinations ({limit}). Delete one first.', {
    means: 'The owner has the most destinations allowed: 20 for a creator, 100 for the operator.',
    remedy: 'Delete an unused destination, or name more types in one.',
    console: ['There are as many destinations as one owner may have.', 'Delete one first.'],
  }),
  operator_creates_destinations: refusal(403, 'Only the operator creates destinations here', {
    means: 'API keys may not create destinations in this service (LATCHKEY_CREATORS_MAY_CREATE_DESTINATIONS).',
    remedy: 'Ask the operator to create it.',
    console: ['Only the operator can create destinations.', 'Ask the operator to create it.'],
  }),
  destination_inactive: refusal(409, 'Destination is paused or disabled. Resume it first.', {
    means: 'Nothing is sent to a destination that is paused or disabled.',
    remedy: 'Call /resumeDestination, then test it.',
    console: ['The destination is paused or disabled.', 'Resume it first.'],
  }),
  event_not_found: refusal(404, 'Event not found', {
    means: 'There is no such event, it is no longer kept, or the owner of the destination does not get it.',
    remedy: 'Take ids of events from /listEvents.',
    console: ['There is no such event.', NOT_YOURS],
  }),
  destination_catching_up: refusal(409, 'Destination is too far behind for this. Try again later.', {
    means: 'More than 10,000 recorded events wait for the destination; the given ones may be among them.',
    remedy: 'Repeat the call when `behind` of /getDestination is below 10,000.',
    console: ['The destination is too far behind for this.', 'Try again when it has caught up.'],
  }),
  too_many_waiting: refusal(409, 'Too many events wait ({limit}). Try again later.', {
    means: 'At most 1,000 events that were tried or requested wait for a destination.',
    remedy: 'Repeat the call when fewer wait.',
    console: ['Too many events wait already.', 'Try again when fewer wait.'],
  }),
  replay_under_way: refusal(409, 'A replay is under way', {
    means: 'A destination has one replay at a time.',
    remedy: 'Wait until /getDestination shows no replay, or end it with `stop: true`.',
    console: ['A replay is under way.', 'Wait until it has ended, or stop it.'],
  }),
  test_rate: refusal(429, 'Too many tests. Try again later.', {
    means: 'The destinations of this owner had ten tests at this host within a minute.',
    remedy: 'Wait a minute.',
    console: ['Too many tests were sent.', 'Wait a minute, then try again.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof destinationRefusals> {}
}
