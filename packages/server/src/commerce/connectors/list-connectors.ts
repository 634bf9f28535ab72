import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { listConnectorsAfter, listConnectorsOf } from './connector-store.ts';
import { CONNECTOR_EXAMPLE, connectorSchema, connectorViews } from './fields.ts';

/** The most connectors in one answer. */
const MAX_LISTED = 1000;

/** GET/POST /listConnectors (rules 15.1). */
export const listConnectors = endpoint({
  path: '/listConnectors',
  access: 'admin',
  needs: 'viewer',
  summary: 'List connectors of shops',
  description:
    'Lists connectors without their secrets: all of them, or with `creatorId` those of a creator. An API key sees those ' +
    'of its creator.',
  example: {
    after: ['/createConnector'],
    request: {},
    reply: { success: true, connectors: [{ ...CONNECTOR_EXAMPLE, state: 'watching' }] },
    // The step with the address.
    differing: ['connectors.0.steps.2'],
  },
  fields: Type.Object({ creatorId: Type.Optional(text('Only the connectors of this creator.')) }),
  reply: success({ connectors: Type.Array(connectorSchema) }),
  refusals: ['creator_mismatch'],
}).read(async (sql, { fields, scope, now, ruleContext: { settings } }) => {
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const found =
    owner.creatorId === null
      ? await listConnectorsAfter(sql, '', MAX_LISTED)
      : await listConnectorsOf(sql, owner.creatorId);
  const ordered = found.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return { success: true, connectors: await connectorViews(sql, ordered, settings, now) };
});
