import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { hashApiKey } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { mintApiKey } from './api-key.ts';
import { addApiKey } from './change.ts';

/** POST /createApiKey (rules 4.4.1). */
export const createApiKey = endpoint({
  path: '/createApiKey',
  access: 'superAdmin',
  summary: 'Make an API key for a creator',
  description:
    'Creates a key that reads and manages the products, variants, licenses and discount codes of one creator. Only ' +
    'this answer contains the raw key, because only its hash is stored. Send an `Idempotency-Key`: if the answer ' +
    'gets lost, a retry within 24 hours shows it again, because only you can open the sealed answer.',
  example: {
    request: { creatorId: EXAMPLE.creatorId, name: 'Build server' },
    reply: { success: true, apiKey: MADE_BY_SERVICE.apiKey, name: 'Build server', creatorId: EXAMPLE.creatorId },
  },
  fields: Type.Object({
    creatorId: text('The creator it is bound to, for good.'),
    name: text('Human-readable label.'),
  }),
  reply: success({
    apiKey: Type.String({ description: 'The raw key, shown this once.' }),
    name: Type.String({ description: 'Human-readable label.' }),
    creatorId: Type.String({ description: 'The creator it is bound to.' }),
  }),
}).write(async (tx, { fields: { creatorId, name }, origin }) => {
  const apiKey = mintApiKey();
  const createdAt = toTimestamp(origin.now);
  await addApiKey(tx, origin, { hash: hashApiKey(apiKey), name, creatorId, active: true, createdAt, revokedAt: null });
  return { success: true, apiKey, name, creatorId };
});
