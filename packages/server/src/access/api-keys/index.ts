/** The endpoints of API keys, in the order of rules 4.4. */
import type { Slice } from '../../platform/slice/slice.ts';
import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { apiKeyRefusals } from './refusals.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { apiKeyTables } from './tables.ts';

export const apiKeys: Slice = {
  refusals: [apiKeyRefusals],
  sections: [
    {
      title: 'API keys',
      description:
        'Keys with which creators manage their own products, variants, licenses and codes. For the operator ' +
        'alone.',
      endpoints: [createApiKey, listApiKeys, revokeApiKey],
    },
  ],
  tables: apiKeyTables,
};
