/** Refusals about customers. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const customerRefusals = refusals('customers', {
  customer_not_found: refusal(404, 'Customer not found', {
    means: 'Nothing is stored for this address; for an API key, nothing of its creator.',
    remedy: 'Look for a typing mistake, or search for a license key, an order or a machine with /searchEverything.',
    console: ['There is no such customer.', NOT_YOURS],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof customerRefusals> {}
}
