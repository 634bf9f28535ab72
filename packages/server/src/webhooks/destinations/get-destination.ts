import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { destinationIdField, destinationSchema, exampleDestination } from './fields.ts';
import { countLastDay } from './left-store.ts';
import { replaySchema, replayView } from './replay.ts';
import { findReplay } from './replay-store.ts';
import { findDestination, withProgress } from './store.ts';
import { viewOf } from './views.ts';

/** GET/POST /getDestination (rules 12.2). */
export const getDestination = endpoint({
  path: '/getDestination',
  access: 'admin',
  needs: 'viewer',
  summary: 'Get a destination of events',
  description:
    'Answers a destination without its secret, its replay under way, and how many requests of the last 24 hours were delivered and failed.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, destination: exampleDestination, replay: null, lastDay: { delivered: 0, failed: 0 } },
  },
  fields: Type.Object({ destinationId: destinationIdField }),
  reply: success({
    destination: destinationSchema,
    replay: nullable(replaySchema),
    lastDay: Type.Object({
      delivered: Type.Integer({ description: 'Requests that were delivered, among the last 500 of these.' }),
      failed: Type.Integer({ description: 'Requests that were not, among the last 500 of these.' }),
    }),
  }),
  refusals: ['destination_not_found'],
}).read(async (sql, { fields, scope, now }) => {
  const destination = await findDestination(sql, fields.destinationId, scope);
  const [found] = destination === undefined ? [] : await withProgress(sql, [destination]);
  if (found === undefined) return refuse('destination_not_found');
  const lastDay = await countLastDay(sql, fields.destinationId, now);
  const replay = await findReplay(sql, fields.destinationId);
  return {
    success: true,
    destination: await viewOf(sql, found, now),
    replay: replay === null ? null : replayView(replay),
    lastDay,
  };
});
