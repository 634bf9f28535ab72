/** The terms of a license: their origins, the typed texts, and the request made from them. Pure. */
import { seenName } from '../actions/undo.ts';
import type { License, UpdateLicenseRequest } from '../api/contract.ts';
import { lastMomentOf } from '../parts/time-words.ts';
import { wholeNumber } from '../parts/whole-number.ts';
import { featureText, linesOf, ownFeaturesIn, ownFeatureText } from '../sentences/features.ts';
import { type SeatRule, seatRuleOf } from '../sentences/seats.ts';

/** A feature of a license, with the origin of its value. */
export interface FeatureOrigin {
  readonly name: string;
  readonly value: string;
  readonly origin: 'license' | 'variant';
}

/** All features of a license by name, those that it takes away included. */
export function featuresOf({ features, ownFeatures }: License): readonly FeatureOrigin[] {
  const own = ownFeatures ?? {};
  const names = [...new Set([...Object.keys(features ?? {}), ...Object.keys(own)])].sort();
  return names.map((name) => {
    const value = features?.[name];
    // A rented feature that has ended gives way to the variant's.
    const given = Object.hasOwn(own, name) ? own[name] : undefined;
    const isOwn = given !== undefined && (given === null || isInForce(given, value));
    return isOwn
      ? { name, value: ownFeatureText(given), origin: 'license' }
      : { name, value: value === undefined ? 'Ended' : featureText(value), origin: 'variant' };
  });
}

function isInForce(given: NonNullable<License['ownFeatures']>[string], value: unknown): boolean {
  return typeof given === 'object' && given !== null ? given.value === value : given === value;
}

/** The typed texts; '' for a term that is not set. */
export interface LicenseTermsForm {
  /** `2027-01-31`, the last covered day in UTC. */
  readonly updatesUntil: string;
  readonly maxVersion: string;
  readonly graceDays: string;
  readonly releaseIdleDays: string;
  readonly maxUsers: string;
  readonly maxMachinesPerUser: string;
  readonly usersFloat: SeatRule;
  /** The license's own features, a line for each. */
  readonly features: string;
}

const typed = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value));

export function licenseTermsFormOf(license: License): LicenseTermsForm {
  return {
    updatesUntil: license.updatesUntil?.slice(0, 10) ?? '',
    maxVersion: license.maxVersion ?? '',
    graceDays: typed(license.graceDays),
    releaseIdleDays: typed(license.releaseIdleDays),
    maxUsers: typed(license.maxUsers),
    maxMachinesPerUser: typed(license.maxMachinesPerUser),
    usersFloat: seatRuleOf(license),
    features: linesOf(license.ownFeatures),
  };
}

/** The terms that are numbers. */
const COUNTED = ['graceDays', 'releaseIdleDays', 'maxUsers', 'maxMachinesPerUser'] as const;
export type CountedTerm = (typeof COUNTED)[number];

export type LicenseTermFault = CountedTerm | 'features';

/** The invalid fields; empty if the form can be sent. */
export function licenseTermFaultsOf(form: LicenseTermsForm): ReadonlySet<LicenseTermFault> {
  const faults = new Set<LicenseTermFault>();
  for (const field of COUNTED) if (wholeNumber(form[field], 1) === undefined) faults.add(field);
  if (ownFeaturesIn(form.features) === undefined) faults.add('features');
  return faults;
}

/** The request that changes the differing terms of a license; null without a difference or with an invalid field. */
export function licenseTermsRequest(license: License, form: LicenseTermsForm): UpdateLicenseRequest | null {
  if (licenseTermFaultsOf(form).size > 0) return null;
  const before = licenseTermsFormOf(license);
  const isChanged = (field: keyof LicenseTermsForm) => form[field].trim() !== before[field];
  const number = (text: string) => wholeNumber(text, 1) ?? null;
  const changes: Partial<UpdateLicenseRequest> = {
    ...(isChanged('updatesUntil')
      ? { updatesUntil: form.updatesUntil === '' ? null : lastMomentOf(form.updatesUntil) }
      : {}),
    ...(isChanged('maxVersion') ? { maxVersion: form.maxVersion.trim() || null } : {}),
    ...Object.fromEntries(COUNTED.filter(isChanged).map((field) => [field, number(form[field])])),
    ...(isChanged('usersFloat') ? { usersFloat: form.usersFloat === '' ? null : true } : {}),
    ...(isChanged('features') ? { features: ownFeaturesIn(form.features) ?? null } : {}),
  };
  if (Object.keys(changes).length === 0) return null;
  const stored: Readonly<Record<string, unknown>> = { ...license, features: license.ownFeatures };
  const seen = Object.keys(changes).map((field) => [seenName(field), stored[field] ?? null]);
  return { licenseKey: license.key, ...changes, ...Object.fromEntries(seen) };
}
