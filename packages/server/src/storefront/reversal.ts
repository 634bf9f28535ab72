/** purchase.refunded and purchase.disputed: the payment is returned, so the license is revoked (rules 6.3). */
import type { Origin } from '../events/event.ts';
import { changeLicense } from '../licenses/change.ts';
import { revocationOf } from '../licenses/revocation.ts';
import { findNewestLicense } from '../licenses/store.ts';
import { isRefusal, type Refusal, refuse } from '../refusals.ts';
import type { Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicenseReply, type WebhookReply } from './reply.ts';
import { EVERYBODY, findSold } from './sale.ts';
import { recordEvent } from './store.ts';

/**
 * Revokes the license of a purchase at threat level 4. Each delivery opens a violation of its own, without
 * deduplication. A given purchaseId alone selects the license, among the products of the same creator, so that a refund
 * never revokes a license of another sale.
 */
export async function reversePurchase(
  tx: Tx,
  event: StorefrontEvent,
  reason: 'refund' | 'chargeback',
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  const { now } = origin;
  const { purchaseId, email, productId, variant, amount, currency } = event;
  const found =
    purchaseId === undefined
      ? await findNewestLicense(tx, email, productId, variant)
      : await findSold(tx, purchaseId, productId);
  if (found === undefined) return refuse('license_not_found');
  // JSON drops undefined fields from the stored evidence.
  const evidence = { reportedBy: 'storefront', purchaseId, amount, currency };
  const revoked = await changeLicense(tx, origin, { licenseKey: found.licenseKey, scope: EVERYBODY }, (license) =>
    revocationOf(license, reason, evidence, now),
  );
  if (isRefusal(revoked)) return revoked;
  await recordEvent(tx, event, revoked.licenseKey, now);
  return existingLicenseReply(revoked, now);
}
