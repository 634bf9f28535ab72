/** The client endpoints, in the order of rules 4.1. */

import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { Slice } from '../../platform/slice/slice.ts';
import { changedLicenses } from '../products/changed-licenses.ts';
// Declares the refusals that the client endpoints name.
import '../licenses/refusals.ts';
import type { ClientPath } from '../observed-calls/metrics.ts';
import { activate } from './activate.ts';
import { deactivate } from './deactivate.ts';
import { heartbeat } from './heartbeat.ts';
import { LicenseCache } from './license-cache.ts';
import { validate } from './validate.ts';
import { verify } from './verify.ts';

/** Licenses cached by a process that is the only writer: about 100 MB when full. */
const LICENSES_IN_CACHE = 100_000;

export const clientEndpoints = {
  sections: [
    {
      title: 'Client endpoints',
      description:
        'Calls of applications on the machines of customers. No credential: the license key, and the ' +
        'session token that /activate gives, show who is asking.',
      endpoints: Object.values({
        '/activate': activate,
        '/validate': validate,
        '/verify': verify,
        '/deactivate': deactivate,
        '/heartbeat': heartbeat,
      } satisfies Record<ClientPath, Endpoint>),
    },
  ],
  ruleParts({ thread }) {
    // Elsewhere other processes write as well, or nothing is asked twice.
    if (thread !== 'front') return { given: { licenseCache: null } };
    const licenseCache = new LicenseCache(LICENSES_IN_CACHE);
    return {
      given: { licenseCache },
      onCommitted: (published) => licenseCache.forget(published.of(changedLicenses)),
      measure(measures) {
        measures.set(NODE_METRICS.latchkey_licenses_in_memory, {}, licenseCache.size);
        measures.set(NODE_METRICS.latchkey_licenses_in_memory_limit, {}, LICENSES_IN_CACHE);
      },
    };
  },
} satisfies Slice;
