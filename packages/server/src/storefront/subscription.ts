/** subscription.renewed and subscription.cancelled (specification, "Events"). */
import type { Reply } from '../endpoint/endpoint.ts';
import type { License } from '../licenses/license.ts';
import { findLicenseOfPurchase, findNewestLicense, lockLicense, updateLicense } from '../licenses/store.ts';
import { findVariant } from '../products/variant-store.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { renewedExpiry } from './expiry.ts';
import { existingLicenseReply } from './reply.ts';
import { recordEvent } from './store.ts';

/**
 * Extends the license of a subscription by durationDays of the event, else of the license's variant. A perpetual license
 * stays perpetual and a revoked one revoked. Every delivery extends: renewals are not deduplicated.
 */
export async function renewSubscription(tx: Tx, event: StorefrontEvent, now: number): Promise<Reply | Refusal> {
  const found = await findSubscribed(tx, event);
  const license = found && (await lockLicense(tx, found.licenseKey, { creatorId: null }));
  if (license === undefined) return refuse('license_not_found');
  let renewed = license;
  if (license.expiresAt !== null) {
    const variant = await findVariant(tx, license.productId, license.variant);
    const days = event.durationDays ?? variant?.durationDays ?? null;
    if (days === null) return refuse('duration_missing');
    renewed = { ...license, expiresAt: renewedExpiry(license.expiresAt, days, now) };
    await updateLicense(tx, renewed, now);
  }
  await recordEvent(tx, event, license.licenseKey, now);
  return { ...existingLicenseReply(renewed, now), expiresAt: renewed.expiresAt };
}

/**
 * Takes note that a subscription will not be renewed; its license runs to its end. There is nothing to be done, so there
 * is nothing to refuse either where no license is found.
 */
export async function cancelSubscription(tx: Tx, event: StorefrontEvent, now: number): Promise<Reply> {
  const license = await findSubscribed(tx, event);
  if (license === undefined) return { success: true };
  await recordEvent(tx, event, license.licenseKey, now);
  return existingLicenseReply(license, now);
}

/** By purchaseId; also when that one is new, because each period may carry its own, the customer's newest. */
async function findSubscribed(sql: Sql, event: StorefrontEvent): Promise<License | undefined> {
  const { purchaseId, email, productId, variant } = event;
  const bought = purchaseId === undefined ? undefined : await findLicenseOfPurchase(sql, purchaseId);
  return bought ?? findNewestLicense(sql, email, productId, variant);
}
