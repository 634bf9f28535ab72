import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { removeConnector } from './change.ts';
import { lockConnector } from './connector-store.ts';
import { countEventStates } from './event-store.ts';
import { connectorIdField } from './fields.ts';
import { isWaiting, SHOP_EVENT_STATES } from './inbox-state.ts';

/** POST /deleteConnector (rules 15.1). */
export const deleteConnector = endpoint({
  path: '/deleteConnector',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a connector of a shop',
  description:
    'Ends the address of a connector, and deletes its events and what was told of its sales within minutes. Licenses ' +
    'that it sold stay as they are, and nothing that the seller tells reaches them any more. Refused while the service ' +
    'still works on its events.',
  example: {
    after: ['/createConnector'],
    request: { connectorId: MADE_BY_SERVICE.connectorId },
    reply: { success: true },
  },
  fields: Type.Object({ connectorId: connectorIdField }),
  reply: success({}),
  refusals: ['connector_not_found', 'events_waiting'],
}).write(async (tx, { fields, scope, origin }) => {
  const connector = await lockConnector(tx, fields.connectorId, scope);
  if (connector === undefined) return refuse('connector_not_found');
  const counts = (await countEventStates(tx, [connector.connectorId])).get(connector.connectorId) ?? {};
  if (SHOP_EVENT_STATES.some((state) => isWaiting(state) && (counts[state] ?? 0) > 0)) return refuse('events_waiting');
  await removeConnector(tx, origin, connector);
  return { success: true };
});
