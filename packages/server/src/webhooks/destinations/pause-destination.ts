import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { changeDestination } from './change.ts';
import { changedReply, lockSeenDestination, wasUpdatedAtField } from './change-one.ts';
import { changedDestinationSchema, changedExample, destinationIdField } from './fields.ts';

/** POST /pauseDestination (rules 12.2). */
export const pauseDestination = endpoint({
  path: '/pauseDestination',
  access: 'admin',
  summary: 'Pause a destination of events',
  description:
    'Sends nothing more until /resumeDestination; the events of the pause are sent then. With `wasUpdatedAt`, a ' +
    'destination that was changed since is left as it is: the answer is 409 with the author of that change.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: {
      success: true,
      destination: { ...changedExample(1), state: 'paused', stateReason: 'by_person' },
    },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    wasUpdatedAt: Type.Optional(wasUpdatedAtField),
  }),
  reply: changedDestinationSchema,
  refusals: ['destination_not_found', 'changed_meanwhile'],
}).write(async (tx, request) => {
  const found = await lockSeenDestination(tx, request);
  if (isRefusal(found)) return found;
  const { destination } = found;
  if (destination.state === 'paused') return changedReply(tx, found, request.origin.now);
  const changed = await changeDestination(tx, request.origin, 'destination.paused', destination, {
    ...destination,
    state: 'paused',
    stateReason: 'by_person',
  });
  return changedReply(tx, { ...found, destination: changed }, request.origin.now);
});
