import Type from 'typebox';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { oneOf, success } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { mintEventId } from '../../platform/events/event.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { hostOf } from '../destinations/address-policy.ts';
import { lockDestination } from '../destinations/change-one.ts';
import { destinationIdField } from '../destinations/fields.ts';
import { outboundTypes, PING } from '../destinations/outbound-events.ts';
import { addTest } from './listing-store.ts';

/** Maximum number of tests per minute at one host, by all destinations of an owner. */
const MAX_IN_MINUTE = 10;

/** POST /testDestination (rules 12.5). */
export const testDestination = endpoint({
  path: '/testDestination',
  access: 'admin',
  needs: 'support',
  summary: 'Send a test event to a destination',
  description:
    'Sends a signed event of type `ping`, or the example of another type, with `data.isTest: true`, within a second, also ' +
    'while the destination fails; a success ends that. /listDeliveryAttempts shows the attempt under its `eventId`.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, eventId: MADE_BY_SERVICE.eventId },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    type: Type.Optional(oneOf('Type of the event; `ping` by default.', outboundTypes, 'OutboundType')),
  }),
  reply: success({
    eventId: Type.String({ description: 'The `webhook-id` of the test.' }),
  }),
  refusals: ['destination_not_found', 'destination_inactive', 'test_rate'],
}).write(async (tx, request) => {
  const { now } = request.origin;
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  const { type = PING } = request.fields;
  const { destinationId, creatorId, url, state } = found.destination;
  if (state !== 'active') return refuse('destination_inactive');
  const limit = { subject: `tests of ${creatorId ?? ''} at ${hostOf(url)}`, max: MAX_IN_MINUTE, windowMs: MINUTE_MS };
  const retryAfterSeconds = await countRates(tx, [limit], now);
  if (retryAfterSeconds !== null) return refuse('test_rate', { retryAfterSeconds });
  const eventId = mintEventId(now);
  await addTest(tx, { destinationId, eventId, type }, now);
  return { success: true, eventId };
});
