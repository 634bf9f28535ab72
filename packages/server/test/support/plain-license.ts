/** A license for tests that need its row and no service that issues one. */
import { toTimestamp } from '../../src/base/clock.ts';
import type { License } from '../../src/licenses/license.ts';

/** A license with these fields; the others have plain values. */
export function aLicense(fields: Partial<License>): License {
  const createdAt = fields.createdAt ?? toTimestamp(0);
  return {
    licenseKey: 'K',
    issuedKey: null,
    email: 'ada@example.com',
    productId: 'app',
    variant: 'indie',
    licenseType: 'per-machine',
    revocation: null,
    maxMachines: 2,
    maxConcurrent: null,
    createdAt,
    purchasedAt: createdAt,
    expiresAt: null,
    discountCode: null,
    purchaseId: null,
    bundleId: null,
    unlockedProducts: [],
    threatLevel: 0,
    disputeReason: null,
    machinesUsed: 0,
    sessionsHeld: 0,
    attempts: [],
    countriesSeen: {},
    eventCount: 0,
    lastEventId: null,
    ...fields,
  };
}
