/** The contents page: every endpoint of the service, in the specification's order. */
import { apiKeyEndpoints } from './api-keys/index.ts';
import { discountCodeEndpoints } from './discount-codes/index.ts';
import type { Endpoint, Section } from './endpoint/endpoint.ts';
import { clientEndpoints, licenseEndpoints } from './licenses/index.ts';
import { productEndpoints, variantEndpoints } from './products/index.ts';
import { storefrontEndpoints } from './storefront/index.ts';
import { studioOrderEndpoints } from './studio-orders/index.ts';

export { identify } from './api-keys/identify.ts';

export const sections: readonly Section[] = [
  { title: 'Client endpoints', endpoints: clientEndpoints },
  { title: 'License management', endpoints: licenseEndpoints },
  { title: 'API keys', endpoints: apiKeyEndpoints },
  { title: 'Products', endpoints: productEndpoints },
  { title: 'Variants', endpoints: variantEndpoints },
  { title: 'Discount codes', endpoints: discountCodeEndpoints },
  { title: 'Storefront webhook', endpoints: storefrontEndpoints },
  { title: 'Studio orders', endpoints: studioOrderEndpoints },
];

export const endpoints: readonly Endpoint[] = sections.flatMap((section) => section.endpoints);

/** The same by path. */
export const endpointsByPath: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((each) => [each.path, each]));
