/** purchase.refunded and purchase.disputed: the money goes back, and the license with it (specification, "Events"). */
import type { Reply } from '../endpoint/endpoint.ts';
import { revokeLocked } from '../licenses/revoke.ts';
import { findLicenseOfPurchase, findNewestLicense, lockLicense } from '../licenses/store.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicenseReply } from './reply.ts';
import { recordEvent } from './store.ts';

/**
 * Revokes the license of a purchase at threat level 4. Every delivery leaves a violation of its own: they are not
 * deduplicated. By purchaseId alone where one is given, so that a refund never hits a license it was not paid for.
 */
export async function reversePurchase(
  tx: Tx,
  event: StorefrontEvent,
  reason: 'refund' | 'chargeback',
  now: number,
): Promise<Reply | Refusal> {
  const { purchaseId, email, productId, variant, amount, currency } = event;
  const found =
    purchaseId === undefined
      ? await findNewestLicense(tx, email, productId, variant)
      : await findLicenseOfPurchase(tx, purchaseId);
  const license = found && (await lockLicense(tx, found.licenseKey, { creatorId: null }));
  if (license === undefined) return refuse('license_not_found');
  // What is undefined does not appear in the evidence, which is kept as JSON.
  const evidence = { reportedBy: 'storefront', purchaseId, amount, currency };
  const revoked = await revokeLocked(tx, license, reason, evidence, now);
  await recordEvent(tx, event, license.licenseKey, now);
  return existingLicenseReply(revoked, now);
}
