import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { removeDestination } from './change.ts';
import { lockDestination } from './change-one.ts';
import { destinationIdField } from './fields.ts';

/** DELETE/POST /deleteDestination (rules 12.2). */
export const deleteDestination = endpoint({
  path: '/deleteDestination',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a destination of events',
  description:
    'Deletes a destination. Events that wait for it are not sent. DELETE takes its fields from the query string or a body.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true },
  },
  fields: Type.Object({ destinationId: destinationIdField }),
  reply: success({}),
  refusals: ['destination_not_found'],
}).write(async (tx, request) => {
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  await removeDestination(tx, request.origin, found.destination);
  return { success: true };
});
