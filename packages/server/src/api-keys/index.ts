/** The endpoints of API keys, in the order of rules 4.4. */
import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';

export const apiKeyEndpoints = [createApiKey, listApiKeys, revokeApiKey];
