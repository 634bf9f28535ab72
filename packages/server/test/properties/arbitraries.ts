/** Random licenses and moments for the properties of pure rules. */
import fc from 'fast-check';
import { toTimestamp } from '../../src/ground/base/clock.ts';
import { REVOCATIONS } from '../../src/licensing/licenses/license.ts';
import { LICENSE_TYPES } from '../../src/licensing/products/license-type.ts';
import { aLicense } from '../support/plain-license.ts';

/** Milliseconds from 1970 to 2100. */
export const moment = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') });

/** Any license as far as its status and its slots matter. */
export const license = fc
  .record({
    licenseType: fc.constantFrom(...LICENSE_TYPES),
    // A replaced license has no slots of its own, and nothing changes its status.
    revocation: fc.option(fc.constantFrom(...REVOCATIONS.filter((each) => each !== 'replaced'))),
    maxMachines: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 5 })),
    maxConcurrent: fc.option(fc.integer({ min: 1, max: 5 })),
    machinesUsed: fc.nat(6),
    sessionsHeld: fc.nat(6),
    threatLevel: fc.nat(4),
    disputeReason: fc.option(fc.constantFrom('refund', 'chargeback')),
    expiresAt: fc.option(moment.map(toTimestamp)),
  })
  .map(aLicense);
