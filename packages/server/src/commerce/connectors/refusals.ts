/** Refusals about connectors and their events. */
import { type CodesOf, innerRefusals, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const connectorRefusals = refusals('connectors', {
  connector_not_found: refusal(404, 'Connector not found', {
    means: 'There is no such connector, or it belongs to another creator.',
    remedy: 'Take its id from /listConnectors.',
    console: ['There is no such connector.', NOT_YOURS],
  }),
  shop_event_not_found: refusal(404, 'Shop event not found', {
    means: 'There is no such event of a shop, it is no longer kept, or its connector belongs to another creator.',
    remedy: 'Take ids of events from /listShopEvents.',
    console: ['There is no such event of a shop.', NOT_YOURS],
  }),
  connector_prefix_taken: refusal(409, 'Connector prefix already exists', {
    means: 'Another connector of the same owner has this `prefix`, which begins the purchaseIds of its sales.',
    remedy: 'Choose another `prefix`.',
    console: ['Another connector has this prefix.', 'Choose another prefix.'],
  }),
  events_waiting: refusal(409, 'Events are still waiting', {
    means: 'The service still works on events of the connector, so deleting it would lose sales.',
    remedy: 'Wait until none is received, looked up or held, or pause the connector and dismiss those that wait.',
    console: ['Events of this connector still wait.', 'Wait until they are applied, or dismiss them.'],
  }),
  too_many_connectors: refusal(409, 'Too many connectors ({limit}). Delete one first.', {
    means: 'The owner has the most connectors allowed: 20 for a creator, 100 for the operator.',
    remedy: 'Delete an unused connector.',
    console: ['There are as many connectors as one owner may have.', 'Delete one first.'],
  }),
  remedy_not_offered: refusal(409, 'This event has no such remedy', {
    means:
      'The event does not wait for a decision, or not for this one; `remedies` of /getShopEvent lists its remedies.',
    remedy: 'Read the event again and choose one of its remedies.',
    console: ['This event has no such remedy any more.', 'Look at the event again.'],
  }),
});

/** Refusals at the addresses of connectors, which only sellers read. */
const atAddresses = innerRefusals({
  signature_not_valid: { status: 401, text: 'Signature is not valid' },
  delivery_too_large: { status: 413, text: 'Body is larger than 1 MiB' },
  order_not_found: { status: 404, text: 'Order not found' },
  order_rate: { status: 429, text: 'Too many unknown orders from your network. Try again later.' },
  keys_not_ready: { status: 503, text: 'The order has no keys yet' },
  signature_rate: { status: 429, text: 'Too many wrong signatures from your network. Try again later.' },
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof connectorRefusals> {}
  interface InnerRefusals extends CodesOf<typeof atAddresses> {}
}
