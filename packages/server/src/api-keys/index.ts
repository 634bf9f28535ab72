/** The API keys slice, in the specification's order. */
import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';

export const apiKeyEndpoints = [createApiKey, listApiKeys, revokeApiKey];
