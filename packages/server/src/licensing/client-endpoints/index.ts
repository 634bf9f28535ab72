/** The client endpoints, in the order of rules 4.1. */
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import type { Slice } from '../../platform/slice/slice.ts';
// Declares the refusals that the client endpoints name.
import '../licenses/refusals.ts';
import type { ClientPath } from '../observed-calls/metrics.ts';
import { activate } from './activate.ts';
import { deactivate } from './deactivate.ts';
import { heartbeat } from './heartbeat.ts';
import { validate } from './validate.ts';
import { verify } from './verify.ts';

export const clientEndpoints: Slice = {
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
};
