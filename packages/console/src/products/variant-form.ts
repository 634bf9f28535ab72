/** The form of a variant: the typed texts, and the request made from them. */
import type { CreateVariantRequest, LicenseType, UpdateVariantRequest, Variant } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { wholeNumber } from '../parts/whole-number.ts';
import { givenTerms, NO_TERMS, type TermsForm, termFaultsOf, termsFormOf } from './variant-terms.ts';

export interface VariantForm {
  readonly terms: TermsForm;
  readonly name: string;
  readonly licenseType: LicenseType;
  readonly machines: string;
  readonly isUnlimited: boolean;
  /** Sessions of a floating license. */
  readonly sessions: string;
  readonly durationDays: string;
  readonly trialDays: string;
  readonly price: string;
}

/** A form with the service's defaults. */
export const NEW_VARIANT: VariantForm = {
  name: '',
  licenseType: 'per-machine',
  machines: '2',
  isUnlimited: false,
  sessions: '',
  durationDays: '',
  trialDays: '',
  price: '',
  terms: NO_TERMS,
};

const typed = (value: number | null) => (value === null ? '' : String(value));

/** The form of an existing variant. */
export function formOf(variant: Variant): VariantForm {
  return {
    name: variant.name,
    licenseType: variant.licenseType,
    machines: variant.maxMachines < 0 ? '' : String(variant.maxMachines),
    isUnlimited: variant.maxMachines < 0,
    sessions: typed(variant.maxConcurrent),
    durationDays: typed(variant.durationDays),
    trialDays: typed(variant.defaultTrialDays),
    price: typed(variant.price),
    terms: termsFormOf(variant),
  };
}

/** The numbers of a form; null for an empty field. */
interface Numbers {
  readonly machines: number | null;
  readonly sessions: number | null;
  readonly durationDays: number | null;
  readonly trialDays: number | null;
  readonly price: number | null;
}

/** A field with a value that the service does not accept. */
export type VariantFault = keyof Numbers | 'name';

const SMALLEST: Readonly<Record<keyof Numbers, number>> = {
  machines: 1,
  sessions: 1,
  durationDays: 1,
  trialDays: 1,
  price: 0,
};

/** The invalid fields; empty if the form can be sent. */
export function faultsOf(form: VariantForm): ReadonlySet<VariantFault> {
  const faults = new Set<VariantFault>();
  if (form.name.trim() === '') faults.add('name');
  for (const field of Object.keys(SMALLEST) as (keyof Numbers)[])
    if (wholeNumber(form[field], SMALLEST[field]) === undefined) faults.add(field);
  const needsMachines = !form.isUnlimited && (form.licenseType !== 'floating' || form.sessions.trim() === '');
  if (needsMachines && form.machines.trim() === '') faults.add('machines');
  return faults;
}

function numbersOf(form: VariantForm): Numbers {
  const number = (field: keyof Numbers) => wholeNumber(form[field], SMALLEST[field]) ?? null;
  return {
    machines: form.isUnlimited ? -1 : number('machines'),
    sessions: form.licenseType === 'floating' ? number('sessions') : null,
    durationDays: number('durationDays'),
    trialDays: number('trialDays'),
    price: number('price'),
  };
}

/** The request that creates the variant, or replaces the one with its name; null while a field is invalid. */
export function createRequest(productId: string, form: VariantForm): CreateVariantRequest | null {
  if (faultsOf(form).size > 0 || termFaultsOf(form.terms).size > 0) return null;
  const { machines, sessions, durationDays, trialDays, price } = numbersOf(form);
  const terms = givenTerms(form.terms);
  return {
    productId,
    name: form.name.trim(),
    licenseType: form.licenseType,
    ...given({ maxMachines: machines, maxConcurrent: sessions, durationDays, defaultTrialDays: trialDays, price }),
    ...terms,
  };
}

/** The request that changes a variant from the shown values to those of the form; null while a field is invalid. */
export function updateRequest(variant: Variant, form: VariantForm): UpdateVariantRequest | null {
  if (faultsOf(form).size > 0) return null;
  const { machines, sessions, durationDays, trialDays, price } = numbersOf(form);
  return {
    variantId: variant.variantId,
    productId: variant.productId,
    ...(machines === null ? {} : { maxMachines: machines, wasMaxMachines: variant.maxMachines }),
    ...(variant.licenseType === 'floating' ? { maxConcurrent: sessions, wasMaxConcurrent: variant.maxConcurrent } : {}),
    durationDays,
    wasDurationDays: variant.durationDays,
    defaultTrialDays: trialDays,
    wasDefaultTrialDays: variant.defaultTrialDays,
    price,
    wasPrice: variant.price,
  };
}

/** The variant after a request, with the service's defaults for absent values. */
export function variantAfter(request: CreateVariantRequest): Variant {
  const { durationMonths, durationStarts, graceDays, updatesDays, maxVersion, releaseIdleDays } = request;
  const { maxUsers, maxMachinesPerUser, usersFloat, unlockedProducts, quantity, features } = request;
  const terms = given({
    ...{ durationMonths, durationStarts, graceDays, updatesDays, maxVersion, releaseIdleDays },
    ...{ maxUsers, maxMachinesPerUser, usersFloat, unlockedProducts, quantity, features },
  });
  return {
    variantId: `${request.productId}-${request.name}`,
    productId: request.productId,
    name: request.name,
    licenseType: request.licenseType ?? 'per-machine',
    maxMachines: request.maxMachines ?? 2,
    maxConcurrent: request.maxConcurrent ?? null,
    defaultTrialDays: request.defaultTrialDays ?? null,
    durationDays: request.durationDays ?? null,
    price: request.price ?? null,
    active: true,
    ...terms,
  };
}
