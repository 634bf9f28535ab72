/** The violations that wait for a decision, for their list and for the navigation, which is loaded first. */
import type { ListViolationsRequest } from './contract.ts';

/** All open violations but refunds and chargebacks, which revoke by themselves. */
export const NEEDS_YOU = { open: true, disputes: false } as const satisfies ListViolationsRequest;
