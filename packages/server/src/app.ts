/** The contents page: every endpoint of the service, in the specification's order. */
import type { Endpoint } from './endpoint/endpoint.ts';
import { clientEndpoints, licenseEndpoints } from './licenses/index.ts';

export { identify } from './api-keys/identify.ts';

export const endpoints: readonly Endpoint[] = [...clientEndpoints, ...licenseEndpoints];

/** The same by path. */
export const endpointsByPath: ReadonlyMap<string, Endpoint> = new Map(endpoints.map((each) => [each.path, each]));
