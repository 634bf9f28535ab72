/** A license for tests that need its row and no service that issues one. */
import { toTimestamp } from '../../src/ground/base/clock.ts';
import { type License, UNSET, UNUSED } from '../../src/licensing/licenses/license.ts';

/** A license with these fields; the others have plain values. */
export function aLicense(fields: Partial<License>): License {
  const createdAt = fields.createdAt ?? toTimestamp(0);
  return {
    ...UNSET,
    ...UNUSED,
    licenseKey: 'K',
    email: 'ada@example.com',
    productId: 'app',
    variant: 'indie',
    licenseType: 'per-machine',
    maxMachines: 2,
    createdAt,
    purchasedAt: createdAt,
    expiresAt: null,
    ...fields,
  };
}
