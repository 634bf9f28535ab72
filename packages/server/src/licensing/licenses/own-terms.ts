/** The terms that a license has of its own, as its row stores them (rules 14). */
import { isRecord } from '../../storage/contract/stored-json.ts';
import { type OwnFeatures, storedOwnFeatures } from '../products/features.ts';
import { type OwnMeters, storedOwnMeters } from '../products/meters.ts';
import { storedTerm, type VariantTerms } from '../products/terms.ts';

/** The terms of a license itself; null is a term that it does not have. */
export interface LicenseTerms extends Pick<VariantTerms, 'maxVersion' | 'releaseIdleDays'> {
  /** Laid over the features of the variant. */
  readonly features: OwnFeatures | null;
  /** Laid over the limits of the variant. */
  readonly meters: OwnMeters | null;
}

/** The terms of a license without any. */
export const NO_TERMS: LicenseTerms = Object.freeze({
  maxVersion: null,
  releaseIdleDays: null,
  features: null,
  meters: null,
});

/** The terms in a parsed column of a license's row. */
export function licenseTermsFrom(stored: unknown): LicenseTerms {
  if (!isRecord(stored)) return NO_TERMS;
  return {
    maxVersion: storedTerm(stored, 'maxVersion'),
    releaseIdleDays: storedTerm(stored, 'releaseIdleDays'),
    features: storedOwnFeatures(stored.features),
    meters: storedOwnMeters(stored.meters),
  };
}
