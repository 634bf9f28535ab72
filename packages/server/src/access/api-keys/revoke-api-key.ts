import Type from 'typebox';
import { hashApiKey } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { countOrPauseOfKeys } from '../../webhooks/destinations/change-many.ts';
import { revokeApiKey as revoke, revokeApiKeysOf } from './change.ts';
import { findApiKey } from './store.ts';

const MISSING = 'Missing apiKeyToRevoke or creatorId';

/** POST /revokeApiKey (rules 4.4.3). */
export const revokeApiKey = endpoint({
  path: '/revokeApiKey',
  access: 'superAdmin',
  summary: 'Revoke an API key, or all of a creator',
  description:
    'Takes exactly one of `apiKeyToRevoke` and `creatorId`. A revoked key is refused from the next request on and ' +
    'never becomes active again. Revoking a revoked key is not an error: `revoked` is then 0. Revoking a key leaves its ' +
    'destinations of events active: `destinations` counts those that it created or changed. After a leak, ' +
    '`pauseDestinations` pauses them, also with a second call.',
  example: {
    after: ['/createApiKey'],
    request: { apiKeyToRevoke: MADE_BY_SERVICE.apiKey },
    reply: { success: true, revoked: 1, destinations: 0 },
  },
  fields: Type.Object({
    apiKeyToRevoke: Type.Optional(text('The raw key; or its hash, as /listApiKeys shows it, where the key is lost.')),
    creatorId: Type.Optional(text('Revokes every active key of this creator.')),
    pauseDestinations: Type.Optional(
      flag(
        'Pauses the destinations of events that the key created or changed; with `creatorId`, any key of the creator.',
      ),
    ),
  }),
  missing: MISSING,
  reply: success({
    revoked: Type.Integer({ description: 'How many active keys were revoked.' }),
    destinations: Type.Integer({ description: 'Destinations of events that the revoked keys created or changed.' }),
  }),
  refusals: ['api_key_not_found'],
}).write(async (tx, { fields: { apiKeyToRevoke, creatorId, pauseDestinations = false }, origin }) => {
  if (apiKeyToRevoke !== undefined && creatorId !== undefined)
    return refuse('invalid_field', { details: { message: 'Provide apiKeyToRevoke or creatorId, not both' } });
  if (creatorId !== undefined) {
    const destinations = await countOrPauseOfKeys(tx, origin, { creatorId }, pauseDestinations);
    return { success: true, revoked: await revokeApiKeysOf(tx, origin, creatorId), destinations };
  }
  if (apiKeyToRevoke === undefined) return refuse('missing_fields', { details: { message: MISSING } });
  // Raw keys have 52 characters and hashes 64, so one cannot be mistaken for the other.
  const key = (await findApiKey(tx, hashApiKey(apiKeyToRevoke))) ?? (await findApiKey(tx, apiKeyToRevoke));
  if (key === undefined) return refuse('api_key_not_found');
  const destinations = await countOrPauseOfKeys(tx, origin, { keyHash: key.hash }, pauseDestinations);
  return { success: true, revoked: await revoke(tx, origin, key), destinations };
});
