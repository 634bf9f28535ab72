/** The endpoint for every report of the storefront. */
import type { Slice } from '../../platform/slice/slice.ts';
import { storefrontRefusals } from './refusals.ts';
import { storefrontWebhook } from './storefront-webhook.ts';
import { storefrontTables } from './tables.ts';

export const storefront: Slice = {
  refusals: [storefrontRefusals],
  sections: [
    {
      title: 'Storefront webhook',
      description: 'Where the storefront reports purchases, refunds and subscriptions.',
      endpoints: [storefrontWebhook],
    },
  ],
  tables: storefrontTables,
};
