/** Issues licenses: for operators, for the storefront, for redeemed trial codes. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Facts, Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type Duration, timeAfter } from '../products/duration.ts';
import { DEFAULT_LICENSE_TYPE, DEFAULT_MAX_MACHINES, type LicenseType } from '../products/license-type.ts';
import { type DurationStart, NO_VARIANT_TERMS } from '../products/terms.ts';
import { findVariant } from '../products/variant-store.ts';
import { type License, mintLicenseKey, multipliedLimit, storedLicenseKey, UNSET, UNUSED } from './license.ts';
import type { Metadata } from './metadata.ts';
import { multipliedTerms } from './own-terms.ts';
import { saveLicenses } from './save.ts';
import { type GivenTerms, ownTermsAfter, ownTermsOf } from './terms.ts';
import { licenseFacts } from './views.ts';
import { lengthened } from './waiting.ts';

/** The default variant of a license (rules 4.2.1). */
export const DEFAULT_VARIANT = 'indie';

/** The fields of a new license. Missing fields come from the catalogue's variant, else from the defaults. */
export interface LicenseOrder extends GivenTerms {
  readonly email: string;
  readonly productId: string;
  readonly variant?: string | undefined;
  readonly licenseType?: LicenseType | undefined;
  readonly maxMachines?: number | undefined;
  readonly maxConcurrent?: number | undefined;
  /** The limits are multiplied by this; 1 by default. */
  readonly quantity?: number | undefined;
  /** Wins over a length; the license is perpetual without both. */
  readonly expiresAt?: string | null | undefined;
  readonly duration?: Duration | null | undefined;
  /** When the length and the updates begin, if no expiry is given; that of the variant by default. */
  readonly durationStarts?: DurationStart | undefined;
  readonly discountCode?: string | undefined;
  readonly purchaseId?: string | undefined;
  readonly bundleId?: string | undefined;
  readonly unlockedProducts?: readonly string[] | undefined;
  readonly metadata?: Metadata | undefined;
  /** A key that no license has, in place of a new one; of a single license. */
  readonly ownKey?: string | null | undefined;
}

/** A given key is found in any case, and shown as it was given. */
function givenKey(ownKey: string): Pick<License, 'licenseKey' | 'issuedKey'> {
  const licenseKey = storedLicenseKey(ownKey);
  return { licenseKey, issuedKey: licenseKey === ownKey ? null : ownKey };
}

/** Creates and stores a license with a new key. @param details further facts of its event */
export async function issueLicense(tx: Tx, order: LicenseOrder, origin: Origin, details: Facts = {}): Promise<License> {
  const [license] = await issueLicenses(tx, order, [order.purchaseId ?? null], origin, details);
  return license!;
}

/**
 * Creates and stores licenses with new keys, alike but for their purchaseIds.
 *
 * @param purchaseIds one for each license
 * @param details further facts of their events
 * @returns the licenses in the order of the purchaseIds
 */
export async function issueLicenses(
  tx: Tx,
  order: Omit<LicenseOrder, 'purchaseId'>,
  purchaseIds: readonly (string | null)[],
  origin: Origin,
  details: Facts = {},
): Promise<readonly License[]> {
  const { now } = origin;
  const variant = order.variant ?? DEFAULT_VARIANT;
  const known = await findVariant(tx, order.productId, variant);
  const variantTerms = known?.terms ?? NO_VARIANT_TERMS;
  const at = toTimestamp(now);
  const { quantity = 1 } = order;
  const maxConcurrent = order.maxConcurrent ?? known?.maxConcurrent ?? null;
  const { expiresAt = null, duration = null } = order;
  const starts = expiresAt === null ? (order.durationStarts ?? variantTerms.durationStarts ?? 'issue') : 'issue';
  const own = ownTermsAfter(ownTermsOf(variantTerms, now, starts), order);
  const waiting = starts === 'issue' ? null : lengthened(own.terms.waiting, { license: duration });
  const alike: Omit<License, 'licenseKey' | 'purchaseId'> = {
    ...UNSET,
    ...UNUSED,
    email: order.email,
    productId: order.productId,
    variant,
    licenseType: order.licenseType ?? known?.licenseType ?? DEFAULT_LICENSE_TYPE,
    maxMachines: multipliedLimit(order.maxMachines ?? known?.maxMachines ?? DEFAULT_MAX_MACHINES, quantity),
    maxConcurrent: maxConcurrent === null ? null : multipliedLimit(maxConcurrent, quantity),
    createdAt: at,
    purchasedAt: at,
    expiresAt: expiresAt ?? (duration === null || starts === 'activation' ? null : timeAfter(now, duration)),
    ...own,
    terms: { ...multipliedTerms(own.terms, quantity), waiting },
    variantTerms,
    discountCode: order.discountCode ?? null,
    bundleId: order.bundleId ?? null,
    metadata: order.metadata ?? null,
    unlockedProducts: order.unlockedProducts ?? variantTerms.unlockedProducts ?? [],
  };
  // Sorted, so that the first license is also the first in lists of licenses of one moment.
  const licenseKeys = purchaseIds.map(() => mintLicenseKey()).sort();
  const licenses = purchaseIds.map((purchaseId, index) => ({
    ...alike,
    ...(order.ownKey == null ? { licenseKey: licenseKeys[index]! } : givenKey(order.ownKey)),
    purchaseId,
  }));
  const saves = licenses.map((license) => {
    const after = { ...licenseFacts(license, now), ...details };
    const entry = { type: 'license.created', subject: null, before: null, after, origin } as const;
    return { kind: 'new', license, entries: [entry] } as const;
  });
  await saveLicenses(tx, saves, now);
  return licenses;
}
