import Type from 'typebox';
import { hashApiKey } from '../endpoint/caller.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { text } from '../endpoint/vocabulary.ts';
import { refuse } from '../refusals.ts';
import { hasApiKey, revokeKey, revokeKeysOfCreator } from './store.ts';

const MISSING = 'Missing apiKeyToRevoke or creatorId';

/** POST /revokeApiKey (specification, "Admin: API keys"). */
export const revokeApiKey = endpoint({
  path: '/revokeApiKey',
  methods: ['POST'],
  access: 'superAdmin',
  summary: 'Revoke an API key, or all of a creator',
  description:
    'Takes exactly one of `apiKeyToRevoke` and `creatorId`. A revoked key is refused from the next request on and ' +
    'never becomes active again. Revoking what is revoked already is no error: `revoked` is then 0.',
  fields: Type.Object({
    apiKeyToRevoke: Type.Optional(text('The raw key; or its hash, as /listApiKeys shows it, where the key is lost.')),
    creatorId: Type.Optional(text('Revokes every active key of this creator.')),
  }),
  missing: MISSING,
  reply: Type.Object({
    success: Type.Literal(true),
    revoked: Type.Integer({ description: 'How many active keys were revoked.' }),
  }),
  refusals: ['api_key_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields: { apiKeyToRevoke, creatorId } }) {
      if (apiKeyToRevoke !== undefined && creatorId !== undefined)
        return refuse('invalid_field', { details: { message: 'Provide apiKeyToRevoke or creatorId, not both' } });
      if (creatorId !== undefined) return { success: true, revoked: await revokeKeysOfCreator(tx, creatorId) };
      if (apiKeyToRevoke === undefined) return refuse('missing_fields', { details: { message: MISSING } });
      // Raw keys have 52 characters and hashes 64, so what is given cannot be taken for the other.
      for (const hash of [hashApiKey(apiKeyToRevoke), apiKeyToRevoke])
        if (await hasApiKey(tx, hash)) return { success: true, revoked: (await revokeKey(tx, hash)) ? 1 : 0 };
      return refuse('api_key_not_found');
    },
  },
});
