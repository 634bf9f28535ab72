/** The variant and its identifier (rules 2.5). */
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { LicenseType } from './license-type.ts';
import type { VariantTerms } from './terms.ts';

/** An edition of a product for sale, with the terms of its licenses. */
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
  /** Smallest currency unit; null without a stated price, which differs from free of charge. */
  readonly price: number | null;
  readonly active: boolean;
  readonly terms: VariantTerms;
}

/**
 * The identifier of a variant. Both parts may contain hyphens, so variants of several products can share an identifier;
 * product and name together are unique.
 */
export function variantIdOf(productId: string, name: string): string {
  return `${productId}-${name}`;
}

/** The refusal of a variant that offers trials without a length; null for any other. */
export function refusalForTrial({
  terms: { trialWithoutKey },
  defaultTrialDays,
}: Pick<Variant, 'terms' | 'defaultTrialDays'>): Refusal<'invalid_field'> | null {
  if (trialWithoutKey !== true || defaultTrialDays !== null) return null;
  return refuse('invalid_field', { details: { message: 'trialWithoutKey needs defaultTrialDays' } });
}
