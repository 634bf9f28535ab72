/** The variant and its identifier (rules 2.5). */
import type { LicenseType } from '../licenses/license.ts';

/** What is sold of a product, and what its licenses allow. */
export interface Variant {
  /** See {@link variantIdOf}. */
  readonly variantId: string;
  readonly productId: string;
  readonly name: string;
  readonly licenseType: LicenseType;
  /** -1 is unlimited. */
  readonly maxMachines: number;
  readonly maxConcurrent: number | null;
  readonly defaultTrialDays: number | null;
  /** Null is perpetual. */
  readonly durationDays: number | null;
  /** Smallest currency unit; null where the catalogue states none, which is not the same as free of charge. */
  readonly price: number | null;
  readonly active: boolean;
}

/**
 * The identifier of a variant. Both parts may contain hyphens, so variants of several products can have one identifier;
 * product and name together tell them apart.
 */
export function variantIdOf(productId: string, name: string): string {
  return `${productId}-${name}`;
}
