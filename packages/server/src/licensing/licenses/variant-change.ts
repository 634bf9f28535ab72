/** A license with the terms of a variant anew, as a new license would get them (rules 14.6). Pure. */
import { countsSessions } from '../products/license-type.ts';
import type { Variant } from '../products/variant.ts';
import { type License, multipliedLimit } from './license.ts';
import type { LicenseUpdate } from './license-table.ts';
import { multipliedTerms } from './own-terms.ts';
import { ownTermsOf } from './terms.ts';
import { joinedLengths } from './waiting.ts';

/**
 * The fields of a license after it got the terms of a variant of its product. Its expiry, or the length that waits
 * for its first activation, its own features and its own meters stay.
 *
 * @param quantity by which the limits of the variant are multiplied
 */
export function termsOfVariant(license: License, variant: Variant, now: number, quantity = 1) {
  const { features, meters, waiting } = license.terms;
  const { graceDays, updatesUntil, terms } = ownTermsOf(variant.terms, now, waiting === null ? 'issue' : 'activation');
  return {
    variant: variant.name,
    licenseType: variant.licenseType,
    maxMachines: multipliedLimit(variant.maxMachines, quantity),
    maxConcurrent: variant.maxConcurrent === null ? null : multipliedLimit(variant.maxConcurrent, quantity),
    graceDays,
    updatesUntil,
    terms: {
      ...multipliedTerms(terms, quantity),
      ...{ features, meters, waiting: joinedLengths(waiting, terms.waiting) },
    },
    unlockedProducts: variant.terms.unlockedProducts ?? [],
  } satisfies LicenseUpdate;
}

/** Whether a change of the type ends the floating sessions of a license. */
export function endsSessions(before: Pick<License, 'licenseType'>, after: Pick<License, 'licenseType'>): boolean {
  return countsSessions(before.licenseType) && !countsSessions(after.licenseType);
}
