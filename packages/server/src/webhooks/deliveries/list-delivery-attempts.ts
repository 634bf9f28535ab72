import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, nullable, oneOf, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import {
  cursorOf,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readPosition,
  TEXT_FORM,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { destinationIdField } from '../destinations/fields.ts';
import { findDestination } from '../destinations/store.ts';
import { listAttemptsOf, listAttemptsOfEvent } from './listing-store.ts';
import { OUTCOMES } from './request.ts';

const MISSING = 'Missing destinationId or eventId';

/** GET/POST /listDeliveryAttempts (rules 12.5). */
export const listDeliveryAttempts = endpoint({
  path: '/listDeliveryAttempts',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the requests that were made to a destination, or with an event, newest first',
  description:
    'Name a destination, an event, or both. Of each destination, lists the last 500 requests that were delivered and the ' +
    'last 500 that were not, for up to 30 days. `nextCursor` is present when there are more; give it as `cursor`.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, attempts: [], count: 0 },
  },
  fields: Type.Object({
    destinationId: Type.Optional(destinationIdField),
    eventId: Type.Optional(text('Only the attempts of this event; without `destinationId` at all destinations.', 64)),
    failedOnly: Type.Optional(flag('Whether delivered ones are left out; false by default.')),
    ...pageFields('Attempts'),
  }),
  missing: MISSING,
  reply: pageReply(
    'attempts',
    resource('DeliveryAttempt', 'One request to a destination.', {
      attemptId: Type.String({ description: 'Its identifier.' }),
      destinationId: Type.String({ description: 'The destination.' }),
      eventId: Type.String({ description: 'The event that was sent: the `webhook-id`.' }),
      type: Type.String({ description: 'Type of the event; `ping` for a test.' }),
      at: timestamp('When it began.'),
      durationMs: Type.Integer({ description: 'Time until the end of the answer, in milliseconds.' }),
      outcome: oneOf(
        'Its result. `status` is an answer other than 2xx, `refused` is no answer.',
        OUTCOMES,
        'DeliveryOutcome',
      ),
      status: nullable(Type.Integer({ description: 'Status of the answer; null without one.' })),
    }),
  ),
  refusals: ['destination_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { destinationId, eventId, limit = DEFAULT_LIMIT, cursor } = fields;
  if (destinationId === undefined && eventId === undefined)
    return refuse('missing_fields', { details: { message: MISSING } });
  const position = cursor === undefined ? ['~'] : readPosition(cursor, [TEXT_FORM]);
  if (isRefusal(position)) return position;
  const [after = '~'] = position;
  if (destinationId !== undefined && (await findDestination(sql, destinationId, scope)) === undefined)
    return refuse('destination_not_found');
  const found =
    destinationId === undefined
      ? await listAttemptsOfEvent(sql, eventId as string, scope, fields, after, limit + 1)
      : await listAttemptsOf(sql, destinationId, fields, after, limit + 1);
  const { entries, next } = cutPage(found, limit, ({ attemptId }) => cursorOf([attemptId]));
  return { success: true, attempts: [...entries], count: entries.length, ...next };
});
