import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { refuseMappings } from './catalogue.ts';
import { addConnector } from './change.ts';
import { type Connector, MAX_CONNECTORS, mintConnectorId, mintSigningSecret, sealed } from './connector.ts';
import { listConnectorsOf } from './connector-store.ts';
import {
  apiKeyField,
  CONNECTOR_EXAMPLE,
  connectorNameField,
  modeField,
  prefixField,
  secretField,
  sourceField,
  stateField,
  urlOf,
} from './fields.ts';
import { mappingOf, mappingsField, settingsField } from './given-parts.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { SOURCE_EXAMPLE } from './sources/example.ts';
import { setupSteps, sourceNamed } from './sources/source-list.ts';

const PREFIX_FORM = /^[a-z0-9-]{1,40}$/;

/** POST /createConnector (rules 15.1). */
export const createConnector = endpoint({
  path: '/createConnector',
  access: 'admin',
  summary: 'Make a connector of a shop',
  description:
    'Makes an address for the events of an account at a seller. `steps` says what to set there. A new connector watches: ' +
    'it stores events, which /previewShopEvent shows, and changes nothing until its state is `on`. `mappings` says which ' +
    "name of the seller's is which product; the most exact one counts: price, variant, sku, payment_link, path, product, " +
    "any. A creator's connector reaches the products of the creator only. A creator has at most 20 connectors, the operator 100.",
  example: {
    after: ['/createVariant'],
    request: {
      source: SOURCE_EXAMPLE,
      name: 'Shop',
      mode: 'live',
      secret: 'whsec_K7QWm2mNpR9xHtBV4cDe6WfGjG8wQ',
      mappings: CONNECTOR_EXAMPLE.mappings,
    },
    reply: {
      success: true,
      connectorId: MADE_BY_SERVICE.connectorId,
      url: MADE_BY_SERVICE.connectorUrl,
      steps: setupSteps(SOURCE_EXAMPLE, MADE_BY_SERVICE.connectorUrl, null),
    },
    // The step with the address.
    differing: ['steps.2'],
  },
  fields: Type.Object({
    source: sourceField,
    name: connectorNameField,
    creatorId: Type.Optional(text("Whose it is: a creator's id. The operator's own without it.")),
    mode: modeField,
    secret: Type.Optional(secretField),
    sellerApiKey: Type.Optional(apiKeyField),
    state: Type.Optional(stateField),
    prefix: Type.Optional(prefixField),
    settings: Type.Optional(settingsField()),
    mappings: Type.Optional(mappingsField("Which name of the seller's is which product.")),
  }),
  reply: success({
    connectorId: Type.String({ description: 'Identifier of the connector.' }),
    url: Type.String({
      description: 'Address to paste at the seller; its path alone where LATCHKEY_PUBLIC_URL is not set.',
    }),
    secret: Type.Optional(
      Type.String({
        description: 'Signing secret to enter at the seller, shown this once; where the seller takes one.',
      }),
    ),
    steps: Type.Array(Type.String(), { description: 'What to set at the seller, in order.' }),
  }),
  refusals: [
    ...(['creator_mismatch', 'secrets_key_missing', 'too_many_connectors'] as const),
    ...(['connector_prefix_taken', 'product_not_found'] as const),
  ],
}).write(async (tx, { fields, scope, origin, ruleContext: { settings } }) => {
  const { source, name, mode, state = 'watching', prefix = source, sellerApiKey: apiKey } = fields;
  const mappings = (fields.mappings ?? []).map(mappingOf);
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  if (!PREFIX_FORM.test(prefix))
    return refuse('invalid_field', { details: { message: 'prefix must be 1 to 40 of a-z 0-9 -' } });
  const { secretsKey } = settings;
  if (secretsKey === null) return refuse('secrets_key_missing');
  const unreachable = await refuseMappings(tx, mappings, owner);
  if (unreachable !== null) return unreachable;
  const limit = owner.creatorId === null ? MAX_CONNECTORS.ofOperator : MAX_CONNECTORS.ofCreator;
  if ((await listConnectorsOf(tx, owner.creatorId)).length >= limit)
    return refuse('too_many_connectors', { details: { limit } });
  const connectorId = mintConnectorId();
  const made = fields.secret === undefined && sourceNamed(source).secret === 'typed' ? mintSigningSecret() : undefined;
  const secret = fields.secret ?? made;
  const at = toTimestamp(origin.now);
  const connector: Connector = {
    ...{ connectorId, creatorId: owner.creatorId, source, name, mode, state, prefix },
    secrets: secret === undefined ? [] : [{ ...sealed(secret, connectorId, secretsKey), endsAt: null }],
    apiKey: apiKey === undefined ? null : sealed(apiKey, connectorId, secretsKey),
    settings: { ...DEFAULT_SETTINGS, ...fields.settings },
    createdAt: at,
    updatedAt: at,
  };
  if (!(await addConnector(tx, origin, connector, mappings))) return refuse('connector_prefix_taken');
  const url = urlOf(connectorId, settings);
  const shown = made === undefined ? {} : { secret: made };
  return { success: true, connectorId, url, ...shown, steps: setupSteps(source, url, made ?? null) };
});
