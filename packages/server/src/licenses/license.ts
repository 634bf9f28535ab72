/** The license and its pure rules (rules 2.1, 3.1). */
import { DAY_MS, fromTimestamp } from '../clock.ts';
import { mintGroups, UNAMBIGUOUS_ALPHABET } from '../random.ts';
import { type Refusal, refuse } from '../refusals.ts';

export const LICENSE_TYPES = ['per-machine', 'floating', 'site'] as const;
export type LicenseType = (typeof LICENSE_TYPES)[number];

/** The type of a license where neither a request nor the catalogue says otherwise. */
export const DEFAULT_LICENSE_TYPE: LicenseType = 'per-machine';

/**
 * What a license of each type counts against its limit: the machines it is bound to, or the floating sessions that are
 * live. The compiler asks for an entry when a type is added.
 */
const COUNTED = {
  'per-machine': 'machines',
  floating: 'sessions',
  site: 'machines',
} as const satisfies Record<LicenseType, 'machines' | 'sessions'>;

/** What is counted, by type of license: the types that something was decided for. */
export type CountedByType = typeof COUNTED;

/** Whether licenses of a type count floating sessions, which lapse without a sign of life. */
export function countsSessions(licenseType: LicenseType): boolean {
  return COUNTED[licenseType] === 'sessions';
}

export const LICENSE_STATUSES = ['active', 'revoked', 'expired'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

/** Why a license is revoked, from the mildest to the strictest; `plain` is an operator's revocation without a reason. */
export const REVOCATIONS = ['refund', 'fraud', 'plain', 'chargeback'] as const;
export type Revocation = (typeof REVOCATIONS)[number];

/** maxMachines of a license without a limit. */
export const UNLIMITED_MACHINES = -1;

/** maxMachines where neither a request nor the catalogue says otherwise (rules 8.1). */
export const DEFAULT_MAX_MACHINES = 2;

export interface License {
  /** The form by which it is found; see {@link storedLicenseKey}. */
  readonly licenseKey: string;
  /** A key from elsewhere as it was issued, where that is another form; else null. */
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
  readonly discountCode: string | null;
  readonly purchaseId: string | null;
  readonly bundleId: string | null;
  readonly unlockedProducts: readonly string[];
  readonly threatLevel: number;
  readonly disputeReason: 'refund' | 'chargeback' | null;
  /** The number of activations. */
  readonly machinesUsed: number;
  /** Floating sessions that hold a slot: the live ones and those that lapsed but were not yet released. */
  readonly sessionsHeld: number;
  /** The newest activation attempts, in milliseconds, oldest first; see activation-rate.ts. */
  readonly attempts: readonly number[];
  /** Country code to the time it was last seen; see country-spread.ts. */
  readonly countriesSeen: Readonly<Record<string, string>>;
  /** How many changes of the license have been recorded: the number of the last one. */
  readonly eventCount: number;
  /** The last of these changes; null before the first. */
  readonly lastEventId: string | null;
}

/** What /verify looks at. */
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
  'unlockedProducts',
  'machinesUsed',
  'sessionsHeld',
] as const satisfies readonly (keyof License)[];
export type CheckedLicense = Pick<License, (typeof CHECKED_FIELDS)[number]>;

/** What the calls of machines look at and change. */
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

/** A key of ours without what separates its groups: 25 unambiguous characters. */
const UNSEPARATED_KEY = new RegExp(`^[${UNAMBIGUOUS_ALPHABET}]{25}$`);

/**
 * A license key as it is stored, from what a person typed: upper case, without blanks around it. A key of five groups of
 * five is found however its groups are separated: by hyphens, by blanks, or not at all. Keys of any other form keep what
 * is within them.
 */
export function storedLicenseKey(given: string): string {
  const key = given.trim().toUpperCase();
  // What apps send is in its stored form nearly always.
  if (key.length === 29 && key[5] === '-' && key[11] === '-' && key[17] === '-' && key[23] === '-') return key;
  const characters = key.replace(/[\s-]/g, '');
  return UNSEPARATED_KEY.test(characters) ? characters.replace(/.{5}(?=.)/g, '$&-') : key;
}

/** A license key as people know it: in the form in which it was issued. */
export function shownLicenseKey({ licenseKey, issuedKey }: Pick<License, 'licenseKey' | 'issuedKey'>): string {
  return issuedKey ?? licenseKey;
}

/** Revoked wins, then the expiry decides; computed whenever it is asked, no job changes it. */
export function statusAt(license: Pick<License, 'revocation' | 'expiresAt'>, now: number): LicenseStatus {
  if (license.revocation !== null) return 'revoked';
  return license.expiresAt !== null && fromTimestamp(license.expiresAt) <= now ? 'expired' : 'active';
}

/** Why a revoked or an expired license is refused at every client endpoint; null for one that is active. */
export function refusalForStatus(
  license: Pick<License, 'revocation' | 'expiresAt'>,
  now: number,
): Refusal<'license_revoked' | 'license_expired'> | null {
  const status = statusAt(license, now);
  if (status === 'active') return null;
  return refuse(status === 'revoked' ? 'license_revoked' : 'license_expired');
}

/**
 * Stands for unlocked products that are stored in a form which cannot be read. It is empty, so that views show none;
 * {@link coversProduct} knows it by identity.
 */
export const UNREADABLE_PRODUCTS: readonly string[] = Object.freeze([]);

/**
 * Whether the license is for this product, or unlocks it as a bundle.
 *
 * @throws when that cannot be read: nobody is refused a product that they may have bought
 */
export function coversProduct(license: Pick<License, 'productId' | 'unlockedProducts'>, productId: string): boolean {
  if (license.productId === productId) return true;
  if (license.unlockedProducts === UNREADABLE_PRODUCTS)
    throw new Error('The unlocked products of this license cannot be read: they are not stored as a list of texts.');
  return license.unlockedProducts.includes(productId);
}

/** How many slots a license has: concurrent sessions of a floating license, machines of any other; -1 is unlimited. */
export function slotLimit(license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>): number {
  return countsSessions(license.licenseType) ? (license.maxConcurrent ?? license.maxMachines) : license.maxMachines;
}

/** How many of them are taken. For a floating license, lapsed sessions must have been released before. */
export function slotsUsed(license: Pick<License, 'licenseType' | 'machinesUsed' | 'sessionsHeld'>): number {
  return countsSessions(license.licenseType) ? license.sessionsHeld : license.machinesUsed;
}

/** Whether one more machine or session fits. */
export function hasFreeSlot(license: UsedLicense): boolean {
  const limit = slotLimit(license);
  return limit === UNLIMITED_MACHINES || slotsUsed(license) < limit;
}

/** Days until the license expires, where a day that has begun counts as a whole day; null if it never expires. */
export function daysRemaining(expiresAt: string | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil((fromTimestamp(expiresAt) - now) / DAY_MS));
}

/** The stricter of two revocations: a refund after a chargeback does not soften it. */
export function stricterRevocation(present: Revocation | null, added: Revocation): Revocation {
  return present !== null && REVOCATIONS.indexOf(present) > REVOCATIONS.indexOf(added) ? present : added;
}

/** An e-mail address as it is compared: without case. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}
