import Type from 'typebox';
import { asUnderstood } from '../../ground/base/web-address.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { changeDestination } from './change.ts';
import { changedReply, lockSeenDestination, wasUpdatedAtField } from './change-one.ts';
import {
  changedDestinationSchema,
  changedExample,
  destinationFields,
  destinationIdField,
  refuseFields,
} from './fields.ts';

/** POST /updateDestination (rules 12.2). */
export const updateDestination = endpoint({
  path: '/updateDestination',
  access: 'admin',
  summary: 'Change a destination of events',
  description:
    'Changes the given fields and leaves the others. Events that wait are sent as the destination then says. With ' +
    '`wasUpdatedAt`, a destination that was changed since is left as it is: the answer is 409 with the author of that ' +
    'change.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId, requestsPerSecond: 10 },
    reply: {
      success: true,
      destination: { ...changedExample(1), requestsPerSecond: 10 },
    },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    ...Type.Partial(Type.Object(destinationFields)).properties,
    wasUpdatedAt: Type.Optional(wasUpdatedAtField),
  }),
  reply: changedDestinationSchema,
  refusals: ['destination_not_found', 'changed_meanwhile'],
}).write(async (tx, request) => {
  const { fields, origin, ruleContext } = request;
  const found = await lockSeenDestination(tx, request);
  if (isRefusal(found)) return found;
  const { destination } = found;
  const refusal = refuseFields(fields, destination.creatorId === null, ruleContext.settings.destinations);
  if (refusal !== null) return refusal;
  const { destinationId: _, wasUpdatedAt: __, ...given } = fields;
  const url = given.url === undefined ? destination.url : asUnderstood(given.url);
  const after = { ...destination, ...given, url };
  const changed = await changeDestination(tx, origin, 'destination.updated', destination, after);
  return changedReply(tx, { ...found, destination: changed }, origin.now);
});
