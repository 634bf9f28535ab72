import Type from 'typebox';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { destinationIdField } from '../destinations/fields.ts';
import { payloadOf } from '../destinations/payload.ts';
import { findDestination } from '../destinations/store.ts';
import { findFittingEvents } from './fitting-events.ts';
import { plainHeaders, webhookTimestamp } from './signature.ts';

/** GET/POST /previewEvent (rules 12.6). */
export const previewEvent = endpoint({
  path: '/previewEvent',
  access: 'admin',
  needs: 'viewer',
  summary: 'Show an event as a destination would get it now',
  description: 'Answers the headers without the signature, and the exact text of the body. Sends nothing.',
  example: {
    after: ['/listEvents', '/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId, eventId: MADE_BY_SERVICE.eventId },
    reply: {
      success: true,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Latchkey/1.0.0',
        'webhook-id': MADE_BY_SERVICE.eventId,
        'webhook-timestamp': '1803893400',
      },
      body: '{"id":"evt_019ced3e-6a40-7000-8000-4b1d2c3e5f60","type":"activation.created",...}',
    },
    differing: ['headers.user-agent', 'headers.webhook-timestamp', 'body'],
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    eventId: text('The event, as /listEvents shows it.', 64),
  }),
  reply: success({
    headers: Type.Record(Type.String(), Type.String(), { description: 'The headers by name, in lower case.' }),
    body: Type.String({ description: 'The text of the body, which is what is signed.' }),
  }),
  refusals: ['destination_not_found', 'event_not_found'],
}).read(async (sql, { fields, scope, now, ruleContext }) => {
  const destination = await findDestination(sql, fields.destinationId, scope);
  if (destination === undefined) return refuse('destination_not_found');
  const events = await findFittingEvents(sql, destination, [fields.eventId], 'eventId');
  if (isRefusal(events)) return events;
  const [event] = events;
  if (event === undefined) return refuse('event_not_found');
  const [license] = event.licenseKey === null ? [] : await listWholeLicenses(sql, [event.licenseKey]);
  const headers = {
    ...plainHeaders(ruleContext.settings.destinations.userAgent),
    'webhook-id': event.eventId,
    'webhook-timestamp': webhookTimestamp(now),
  };
  return { success: true, headers, body: payloadOf(event, license ?? null, destination, now) };
});
