/** The terms that a license has of its own, as its row stores them (rules 14). */
import { isRecord } from '../../storage/contract/stored-json.ts';
import { type OwnFeatures, storedOwnFeatures } from '../products/features.ts';
import { type OwnMeters, storedOwnMeters } from '../products/meters.ts';
import { MAXIMUM_USERS, storedTerm, type VariantTerms } from '../products/terms.ts';
import { storedWaiting, type Waiting } from './waiting.ts';

/** The terms that are copied from a variant as they are. */
export const COPIED_TERMS = ['maxVersion', 'releaseIdleDays', 'maxUsers', 'maxMachinesPerUser', 'usersFloat'] as const;

/** The terms of a license itself; null is a term that it does not have. */
export interface LicenseTerms extends Pick<VariantTerms, (typeof COPIED_TERMS)[number]> {
  /** Laid over the features of the variant. */
  readonly features: OwnFeatures | null;
  /** Laid over the limits of the variant. */
  readonly meters: OwnMeters | null;
  /** Lengths that begin with the first activation. */
  readonly waiting: Waiting | null;
}

/** The terms of a license without any. */
export const NO_TERMS: LicenseTerms = Object.freeze({
  maxVersion: null,
  releaseIdleDays: null,
  maxUsers: null,
  maxMachinesPerUser: null,
  usersFloat: null,
  features: null,
  meters: null,
  waiting: null,
});

/** The terms for a number of units: as many times the users. */
export function multipliedTerms(terms: LicenseTerms, quantity: number): LicenseTerms {
  const { maxUsers } = terms;
  return maxUsers === null || quantity === 1
    ? terms
    : { ...terms, maxUsers: Math.min(maxUsers * quantity, MAXIMUM_USERS) };
}

/** The terms in a parsed column of a license's row. */
export function licenseTermsFrom(stored: unknown): LicenseTerms {
  if (!isRecord(stored)) return NO_TERMS;
  return {
    maxVersion: storedTerm(stored, 'maxVersion'),
    releaseIdleDays: storedTerm(stored, 'releaseIdleDays'),
    maxUsers: storedTerm(stored, 'maxUsers'),
    maxMachinesPerUser: storedTerm(stored, 'maxMachinesPerUser'),
    usersFloat: storedTerm(stored, 'usersFloat'),
    features: storedOwnFeatures(stored.features),
    meters: storedOwnMeters(stored.meters),
    waiting: storedWaiting(stored.waiting),
  };
}
