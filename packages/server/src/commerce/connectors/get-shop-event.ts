import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { findShopEvent } from './event-store.ts';
import { remediesOfEvent, SHOP_EVENT_EXAMPLE, shopEventSchema, shopEventView } from './fields.ts';
import { DELIVERY_EXAMPLE } from './sources/example.ts';

export const eventIdField = text('Identifier of the event.');

/** GET/POST /getShopEvent (rules 15.2). */
export const getShopEvent = endpoint({
  path: '/getShopEvent',
  access: 'admin',
  summary: 'Show an event of a shop with its body',
  description:
    'Shows what the seller delivered, as it came, and what can be done about it. The body may hold personal data, so it ' +
    'is shown to owners only; it is null once a customer in it was forgotten.',
  example: {
    after: ['/listShopEvents'],
    request: { eventId: MADE_BY_SERVICE.shopEventId },
    reply: { success: true, event: SHOP_EVENT_EXAMPLE, body: JSON.stringify(DELIVERY_EXAMPLE), remedies: ['dismiss'] },
    differing: ['body'],
  },
  fields: Type.Object({ eventId: eventIdField }),
  reply: success({
    event: shopEventSchema,
    body: nullable(Type.String({ description: 'What the seller sent; null if it is no longer kept.' })),
    remedies: Type.Array(Type.String(), { description: 'What /decideShopEvent can do about it.' }),
  }),
  refusals: ['shop_event_not_found'],
}).read(async (sql, { fields, scope }) => {
  const event = await findShopEvent(sql, fields.eventId, scope);
  if (event === undefined) return refuse('shop_event_not_found');
  const body = event.body === '' ? null : event.body;
  return { success: true, event: shopEventView(event), body, remedies: [...remediesOfEvent(event)] };
});
