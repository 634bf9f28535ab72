import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import {
  cursorOf,
  cutPage,
  DEFAULT_LIMIT,
  MOMENT_FORM,
  pageFields,
  pageReply,
  readPosition,
  TEXT_FORM,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { destinationIdField } from '../destinations/fields.ts';
import { findDestination } from '../destinations/store.ts';
import { listDeliveriesOf } from './listing-store.ts';

const STATES = ['waiting', 'failed'] as const;

/** GET/POST /listDeliveries (rules 12.5). */
export const listDeliveries = endpoint({
  path: '/listDeliveries',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the events that a destination has not accepted',
  description:
    'Lists the events that were tried and wait for another attempt, or that failed for good; of those that fail together ' +
    'because a receiver is away only a few are in the list. `nextCursor` is present when there are more; give it as `cursor`.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId, state: 'failed' },
    reply: { success: true, deliveries: [], count: 0 },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    state: Type.Optional(oneOf('Waiting ones by default.', STATES)),
    ...pageFields('Deliveries'),
  }),
  reply: pageReply(
    'deliveries',
    resource('Delivery', 'An event that a destination has not accepted.', {
      eventId: Type.String({ description: 'The event.' }),
      state: oneOf('Whether it is tried again.', STATES, 'DeliveryState'),
      attempts: Type.Integer({
        description: 'Failed attempts, without those while the destination failed as a whole.',
      }),
      dueAt: timestamp('When it is tried again; when it failed, for a failed one.'),
      lastStatus: nullable(Type.Integer({ description: 'Status of the last answer; null without one.' })),
      lastError: nullable(Type.String({ description: 'The last failure.' })),
    }),
  ),
  refusals: ['destination_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { destinationId, state = 'waiting', limit = DEFAULT_LIMIT, cursor } = fields;
  const position = cursor === undefined ? ['~', '~'] : readPosition(cursor, [MOMENT_FORM, TEXT_FORM]);
  if (isRefusal(position)) return position;
  if ((await findDestination(sql, destinationId, scope)) === undefined) return refuse('destination_not_found');
  const [dueAt = '~', eventId = '~'] = position;
  const found = await listDeliveriesOf(sql, destinationId, state, { dueAt, eventId }, limit + 1);
  const { entries, next } = cutPage(found, limit, (last) => cursorOf([last.dueAt, last.eventId]));
  return { success: true, deliveries: [...entries], count: entries.length, ...next };
});
