/** Variants (specification, "Variant"). */
import type { LicenseType } from '../licenses/license.ts';

export interface Variant {
  readonly variantId: string;
  readonly productId: string;
  readonly name: string;
  readonly licenseType: LicenseType;
  readonly maxMachines: number | null;
  readonly maxConcurrent: number | null;
  readonly defaultTrialDays: number | null;
  readonly durationDays: number | null;
  /** Smallest currency unit. */
  readonly price: number | null;
  readonly active: boolean;
}
