import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { refuse } from '../endpoint/refusals.ts';
import { changedDestinationSchema, destinationIdField, destinationView, exampleDestination } from './fields.ts';
import { findDestination, withProgress } from './store.ts';

/** GET/POST /getDestination (rules 12.2). */
export const getDestination = endpoint({
  path: '/getDestination',
  methods: ['GET', 'POST'],
  access: 'admin',
  needs: 'viewer',
  summary: 'Get a destination of events',
  description: 'Answers a destination without its secret.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, destination: exampleDestination },
  },
  fields: Type.Object({ destinationId: destinationIdField }),
  missing: 'Missing destinationId',
  reply: changedDestinationSchema,
  refusals: ['destination_not_found'],
}).read(async (sql, { fields, scope }) => {
  const destination = await findDestination(sql, fields.destinationId, scope);
  const [found] = destination === undefined ? [] : await withProgress(sql, [destination]);
  return found === undefined ? refuse('destination_not_found') : { success: true, destination: destinationView(found) };
});
