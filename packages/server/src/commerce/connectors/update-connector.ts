import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, nullable, success, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { refuseMappings } from './catalogue.ts';
import { makeCatchUpDue } from './catch-up-store.ts';
import { catchesUp, changeConnector, sinceOf } from './change.ts';
import { type Connector, MAX_MAPPINGS, sealed, secretsAfter } from './connector.ts';
import { lockConnector, mappingsOf } from './connector-store.ts';
import { listEventIdsIn, makeEventsDue } from './event-store.ts';
import {
  apiKeyField,
  CONNECTOR_EXAMPLE,
  connectorIdField,
  connectorNameField,
  connectorSchema,
  connectorViews,
  DEFAULT_OVERLAP_HOURS,
  LONGEST_OVERLAP_HOURS,
  secretField,
  stateField,
} from './fields.ts';
import { mappingNamesField, mappingOf, mappingsField, settingsField } from './given-parts.ts';
import { listsEvents, SOURCES } from './sources/source-list.ts';

/** Events that one call makes due; the others follow with the next call. */
const MAX_MADE_DUE = 20_000;

/** Sellers whose APIs list their events. */
const LISTING = SOURCES.filter(listsEvents).map(({ name }) => name);

/** POST /updateConnector (rules 15.1). */
export const updateConnector = endpoint({
  path: '/updateConnector',
  access: 'admin',
  summary: 'Change a connector of a shop',
  description:
    'Changes the given fields and leaves the others. A new `secret` is taken besides the former ones for `overlapHours`. ' +
    '`mappings` are added, or replace those with the same name; events that waited for one are applied at once. With ' +
    '`applyWatched`, the events that the connector only watched are applied, the oldest first.',
  example: {
    after: ['/listShopEvents'],
    request: { connectorId: MADE_BY_SERVICE.connectorId, state: 'on' },
    reply: {
      success: true,
      connector: { ...CONNECTOR_EXAMPLE, lastEventAt: CONNECTOR_EXAMPLE.createdAt, counts: { watched: 1 } },
    },
    // The step with the address.
    differing: ['connector.steps.2'],
  },
  fields: Type.Object({
    connectorId: connectorIdField,
    name: Type.Optional(connectorNameField),
    state: Type.Optional(stateField),
    secret: Type.Optional(secretField),
    overlapHours: Type.Optional(
      wholeNumber(
        `For how long the former signing secrets are taken as well; ${DEFAULT_OVERLAP_HOURS} by default.`,
        0,
        LONGEST_OVERLAP_HOURS,
      ),
    ),
    sellerApiKey: Type.Optional(nullable(apiKeyField)),
    settings: Type.Optional(settingsField()),
    mappings: Type.Optional(mappingsField('Mappings to set.')),
    removeMappings: Type.Optional(mappingNamesField('Mappings to remove, by `match` and `id`.')),
    catchUp: Type.Optional(
      flag('Asks the seller at once for events that did not arrive; every hour the service does so by itself.'),
    ),
    applyWatched: Type.Optional(flag('Applies the watched events. The state must be `on`.')),
  }),
  reply: success({ connector: connectorSchema }),
  refusals: ['connector_not_found', 'secrets_key_missing', 'product_not_found'],
}).write(async (tx, { fields, scope, origin, ruleContext: { settings } }) => {
  const { secret, overlapHours = DEFAULT_OVERLAP_HOURS, sellerApiKey: apiKey } = fields;
  const mappings = (fields.mappings ?? []).map(mappingOf);
  const removed = (fields.removeMappings ?? []).map(({ match, id = null }) => ({ match, id }));
  const invalid = (message: string) => refuse('invalid_field', { details: { message } });
  const before = await lockConnector(tx, fields.connectorId, scope);
  if (before === undefined) return refuse('connector_not_found');
  const { connectorId } = before;
  const { secretsKey } = settings;
  if (secretsKey === null && (secret !== undefined || apiKey != null)) return refuse('secrets_key_missing');
  const unreachable = await refuseMappings(tx, mappings, { creatorId: before.creatorId });
  if (unreachable !== null) return unreachable;
  const apiKeyAfter = () => {
    if (apiKey === undefined) return before.apiKey;
    return apiKey === null || secretsKey === null ? null : sealed(apiKey, connectorId, secretsKey);
  };
  const after: Connector = {
    ...before,
    name: fields.name ?? before.name,
    state: fields.state ?? before.state,
    settings: { ...before.settings, ...fields.settings },
    secrets:
      secret === undefined || secretsKey === null
        ? before.secrets
        : secretsAfter(before.secrets, sealed(secret, connectorId, secretsKey), overlapHours, origin.now),
    apiKey: apiKeyAfter(),
  };
  if (fields.applyWatched === true && after.state !== 'on') return invalid('applyWatched needs the state on');
  if ((await mappingsOf(tx, connectorId)).length + mappings.length - removed.length > MAX_MAPPINGS)
    return invalid(`mappings must be at most ${MAX_MAPPINGS} for a connector`);
  if (fields.catchUp === true && !catchesUp(after))
    return invalid(`catchUp needs a sellerApiKey, at one of: ${LISTING.join(', ')}`);
  const changed = await changeConnector(tx, origin, before, after, { set: mappings, remove: removed });
  if (fields.catchUp === true)
    await makeCatchUpDue(tx, connectorId, toTimestamp(sinceOf(after, origin.now)), origin.now);
  if (after.state === 'on') {
    const due = [
      ...(mappings.length === 0
        ? []
        : await listEventIdsIn(tx, connectorId, { state: 'attention', reason: 'unmapped_product' }, MAX_MADE_DUE)),
      ...(apiKey == null
        ? []
        : await listEventIdsIn(tx, connectorId, { state: 'attention', reason: 'lookup_denied' }, MAX_MADE_DUE)),
      ...(fields.applyWatched === true
        ? await listEventIdsIn(tx, connectorId, { state: 'watched' }, MAX_MADE_DUE)
        : []),
    ];
    await makeEventsDue(tx, due, origin.now);
  }
  const [connector] = await connectorViews(tx, [changed], settings, origin.now);
  return { success: true, connector: connector! };
});
