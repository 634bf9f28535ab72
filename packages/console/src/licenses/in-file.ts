/** A license as the file of a list shows it. Pure. */
import type { LicenseSummary } from '../api/contract.ts';
import { WAITS } from '../sentences/waiting.ts';

/** The columns of the file. */
export function inFile(license: LicenseSummary) {
  return {
    Key: license.key,
    'E-mail': license.email,
    Product: license.productId,
    Variant: license.variant,
    Status: license.status,
    Type: license.licenseType,
    Machines: license.machinesUsed,
    'Machines allowed': license.maxMachines < 0 ? 'unlimited' : license.maxMachines,
    Expires: license.waiting === true ? WAITS : license.expiresAt,
    Created: license.createdAt,
  };
}
