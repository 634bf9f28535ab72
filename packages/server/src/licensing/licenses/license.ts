/** The license and its pure rules (rules 2.1, 3.1). */
import { DAY_MS, daysAfter, fromTimestamp } from '../../ground/base/clock.ts';
import { mintGroups, UNAMBIGUOUS_ALPHABET } from '../../ground/base/random.ts';
import { foldKey } from '../../ground/base/typed-text.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { countsSessions, type LicenseType } from '../products/license-type.ts';
import { NO_VARIANT_TERMS, type VariantTerms } from '../products/terms.ts';
import type { Metadata } from './metadata.ts';
import { type LicenseTerms, NO_TERMS } from './own-terms.ts';

export const LICENSE_STATUSES = ['active', 'revoked', 'expired'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

/**
 * Reasons of a revocation, mildest first; `plain` is an operator's revocation without a reason. `replaced` is for good:
 * another license has the rights of this one.
 */
export const REVOCATIONS = ['refund', 'fraud', 'plain', 'chargeback', 'replaced'] as const;
export type Revocation = (typeof REVOCATIONS)[number];

/** maxMachines of a license without a limit. */
export const UNLIMITED_MACHINES = -1;

export interface License {
  /** The normalised key for look-ups; see {@link storedLicenseKey}. */
  readonly licenseKey: string;
  /** A key from elsewhere as it was issued, if its form differs; else null. */
  readonly issuedKey: string | null;
  readonly email: string;
  readonly productId: string;
  readonly variant: string;
  readonly licenseType: LicenseType;
  readonly revocation: Revocation | null;
  readonly maxMachines: number;
  readonly maxConcurrent: number | null;
  readonly createdAt: string;
  readonly purchasedAt: string;
  readonly expiresAt: string | null;
  /** Days between the expiry and the refusal. */
  readonly graceDays: number;
  /** Until when released builds are covered; null covers all. */
  readonly updatesUntil: string | null;
  readonly terms: LicenseTerms;
  /** The terms of its variant as the catalogue has them now. */
  readonly variantTerms: VariantTerms;
  /** The vendor's own facts; null without any. Never shown to an app. */
  readonly metadata: Metadata | null;
  readonly discountCode: string | null;
  readonly purchaseId: string | null;
  readonly bundleId: string | null;
  readonly unlockedProducts: readonly string[];
  readonly threatLevel: number;
  readonly disputeReason: 'refund' | 'chargeback' | null;
  /** The key of the license that this one took the place of; null for any other. */
  readonly replaces: string | null;
  /** The key of the license that took the place of this one; null while it has its own rights. */
  readonly replacedBy: string | null;
  /** Number of activations. */
  readonly machinesUsed: number;
  /** Floating sessions that hold a slot: live ones, and lapsed ones that have not been released. */
  readonly sessionsHeld: number;
  /** The newest activation attempts, in milliseconds, oldest first; see activation-rate.ts. */
  readonly attempts: readonly number[];
  /** Country code to the time it was last seen; see violations/violation.ts. */
  readonly countriesSeen: Readonly<Record<string, string>>;
  /** Number of recorded changes of the license, and so the number of the last one. */
  readonly eventCount: number;
  /** Event id of the last of these changes; null before the first. */
  readonly lastEventId: string | null;
}

/** The values of a new license where its order and its line say nothing. */
export const UNSET = {
  issuedKey: null,
  revocation: null,
  maxConcurrent: null,
  graceDays: 0,
  updatesUntil: null,
  terms: NO_TERMS,
  variantTerms: NO_VARIANT_TERMS,
  metadata: null,
  discountCode: null,
  purchaseId: null,
  bundleId: null,
  unlockedProducts: [],
  disputeReason: null,
  replaces: null,
  replacedBy: null,
} as const satisfies Partial<License>;

/** The values that machines, violations and events give a license, before the first of them. */
export const UNUSED = {
  threatLevel: 0,
  machinesUsed: 0,
  sessionsHeld: 0,
  attempts: [],
  countriesSeen: {},
  eventCount: 0,
  lastEventId: null,
} as const satisfies Partial<License>;

/** A license without {@link UNUSED}. */
export type LicenseContent = Omit<License, keyof typeof UNUSED>;

/** The fields that /verify reads. */
export const CHECKED_FIELDS = [
  'licenseKey',
  'email',
  'productId',
  'variant',
  'licenseType',
  'revocation',
  'maxMachines',
  'maxConcurrent',
  'createdAt',
  'purchasedAt',
  'expiresAt',
  'graceDays',
  'updatesUntil',
  'terms',
  'variantTerms',
  'unlockedProducts',
  'machinesUsed',
  'sessionsHeld',
] as const satisfies readonly (keyof License)[];
export type CheckedLicense = Pick<License, (typeof CHECKED_FIELDS)[number]>;

/** The fields that calls of machines read and change. */
export const USED_FIELDS = [
  'licenseKey',
  'email',
  'productId',
  'variant',
  'licenseType',
  'revocation',
  'maxMachines',
  'maxConcurrent',
  'expiresAt',
  'graceDays',
  'updatesUntil',
  'terms',
  'variantTerms',
  'unlockedProducts',
  'threatLevel',
  'machinesUsed',
  'sessionsHeld',
  'attempts',
  'countriesSeen',
  'eventCount',
  'lastEventId',
] as const satisfies readonly (keyof License)[];
export type UsedLicense = Pick<License, (typeof USED_FIELDS)[number]>;

/** A new license key: five groups of five unambiguous characters, about 124 random bits. */
export function mintLicenseKey(): string {
  return mintGroups(5, 5);
}

/** One of our keys without separators: 25 unambiguous characters. */
const UNSEPARATED_KEY = new RegExp(`^[${UNAMBIGUOUS_ALPHABET}]{25}$`);

/** A generated key in its stored form. */
const GENERATED_KEY = new RegExp(`^[${UNAMBIGUOUS_ALPHABET}]{5}(?:-[${UNAMBIGUOUS_ALPHABET}]{5}){4}$`);

/** Whether a stored key was generated by this service. */
export function isGeneratedKey(key: string): boolean {
  return GENERATED_KEY.test(key);
}

/**
 * The stored form of a license key that a person typed ({@link foldKey}). A key of five groups of five is recognised
 * with hyphens, with spaces, or without separators. Keys of any other form keep their inner hyphens.
 */
export function storedLicenseKey(given: string): string {
  // Fast path: apps nearly always send the stored form.
  if (isGeneratedKey(given)) return given;
  const key = foldKey(given);
  const characters = key.replaceAll('-', '');
  return UNSEPARATED_KEY.test(characters) ? characters.replace(/.{5}(?=.)/g, '$&-') : key;
}

/** A license key in the form in which it was issued. */
export function shownLicenseKey({ licenseKey, issuedKey }: Pick<License, 'licenseKey' | 'issuedKey'>): string {
  return issuedKey ?? licenseKey;
}

/** The moment from which a license is refused: its expiry and the grace. Null is perpetual. */
export function endsAt({ expiresAt, graceDays }: Pick<License, 'expiresAt' | 'graceDays'>): string | null {
  return expiresAt === null || graceDays === 0 ? expiresAt : daysAfter(fromTimestamp(expiresAt), graceDays);
}

/** A revocation takes precedence, then the end. Computed on each request; no job changes the status. */
export function statusAt(license: Pick<License, 'revocation' | 'expiresAt' | 'graceDays'>, now: number): LicenseStatus {
  if (license.revocation !== null) return 'revoked';
  const end = endsAt(license);
  return end !== null && fromTimestamp(end) <= now ? 'expired' : 'active';
}

/** The refusal of a replaced, revoked or expired license at every client endpoint; null for an active license. */
export function refusalForStatus(
  license: Pick<License, 'revocation' | 'expiresAt' | 'graceDays'>,
  now: number,
): Refusal<'license_replaced' | 'license_revoked' | 'license_expired'> | null {
  if (license.revocation === 'replaced') return refuse('license_replaced');
  const status = statusAt(license, now);
  if (status === 'active') return null;
  return refuse(status === 'revoked' ? 'license_revoked' : 'license_expired');
}

/**
 * Represents unlocked products that cannot be read. The list is empty, so views show no products; {@link coversProduct}
 * recognises it by identity.
 */
export const UNREADABLE_PRODUCTS: readonly string[] = Object.freeze([]);

/**
 * Whether the license is for this product, or unlocks it as part of a bundle.
 *
 * @throws when the unlocked products cannot be read, because the customer may have bought this one
 */
export function coversProduct(license: Pick<License, 'productId' | 'unlockedProducts'>, productId: string): boolean {
  if (license.productId === productId) return true;
  if (license.unlockedProducts === UNREADABLE_PRODUCTS)
    throw new Error('The unlocked products of this license cannot be read: they are not stored as a list of texts.');
  return license.unlockedProducts.includes(productId);
}

/** Number of slots of a license: concurrent sessions of a floating license, machines of any other; -1 is unlimited. */
export function slotLimit(license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): number {
  return countsSessions(license.licenseType) ? (license.maxConcurrent ?? license.maxMachines) : license.maxMachines;
}

/** The greatest limit of machines or sessions. */
const MAXIMUM_LIMIT = 1_000_000_000;

/** A limit of machines or sessions for a number of units; an unlimited one stays so. */
export function multipliedLimit(limit: number, quantity: number): number {
  return limit === UNLIMITED_MACHINES ? limit : Math.min(limit * quantity, MAXIMUM_LIMIT);
}

/** Number of slots taken. Release the lapsed sessions of a floating license first. */
export function slotsUsed(license: Pick<License, 'licenseType' | 'machinesUsed' | 'sessionsHeld'>): number {
  return countsSessions(license.licenseType) ? license.sessionsHeld : license.machinesUsed;
}

/** Whether one more machine or session fits. */
export function hasFreeSlot(license: UsedLicense): boolean {
  const limit = slotLimit(license);
  return limit === UNLIMITED_MACHINES || slotsUsed(license) < limit;
}

/**
 * The moment before which a machine of the license was seen last if it is idle; null if machines keep their slots
 * however long they are idle. A floating session takes its slot for a day at most, so its license has no idle machines.
 */
export function idleSince({ licenseType, terms }: Pick<License, 'licenseType' | 'terms'>, now: number): string | null {
  const { releaseIdleDays } = terms;
  return releaseIdleDays === null || countsSessions(licenseType) ? null : daysAfter(now, -releaseIdleDays);
}

/** Days until the license expires, rounded up; null if it never expires. */
export function daysRemaining(expiresAt: string | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil((fromTimestamp(expiresAt) - now) / DAY_MS));
}

/** A period in milliseconds since 1970, without its end; null is unbounded. */
export interface Period {
  readonly from: number | null;
  readonly until: number | null;
}

const ALWAYS: Period = { from: null, until: null };

/** The period around `now` in which {@link statusAt} and {@link daysRemaining} of an active license do not change. */
export function unchangedPeriod(expiresAt: string | null, now: number): Period {
  if (expiresAt === null) return ALWAYS;
  const end = fromTimestamp(expiresAt);
  const from = end - Math.ceil((end - now) / DAY_MS) * DAY_MS;
  return { from, until: from + DAY_MS };
}

/** Whether the period contains the moment. */
export function isWithin({ from, until }: Period, now: number): boolean {
  return (from === null || from <= now) && (until === null || now < until);
}

/** The stricter of two revocations: a refund after a chargeback does not soften it. */
export function stricterRevocation(present: Revocation | null, added: Revocation): Revocation {
  return present !== null && REVOCATIONS.indexOf(present) > REVOCATIONS.indexOf(added) ? present : added;
}
