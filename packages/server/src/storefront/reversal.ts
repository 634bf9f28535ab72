/**
 * purchase.refunded and purchase.disputed: the payment is returned, so the license is revoked. A partial refund revokes
 * nothing (rules 6.3).
 */

import { isRefusal, type Refusal, refuse } from '../endpoint/refusals.ts';
import type { Origin } from '../events/event.ts';
import { changeLicense } from '../licenses/change.ts';
import { revocationOf } from '../licenses/revocation.ts';
import { findNewestLicense } from '../licenses/store.ts';
import type { Sql, Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicenseReply, type WebhookReply } from './reply.ts';
import { EVERYBODY, findSold } from './sale.ts';
import { recordEvent } from './store.ts';

/**
 * Revokes the license of a purchase at threat level 4. Each call opens a violation of its own. A given purchaseId alone
 * selects the license, among the products of the same creator, so that a refund never revokes a license of another
 * sale.
 */
export async function reversePurchase(
  tx: Tx,
  event: StorefrontEvent,
  reason: 'refund' | 'chargeback',
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  const { now } = origin;
  const { purchaseId, amount, currency } = event;
  const found = await findReversed(tx, event);
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

/** Notes on the license that a part of its price was refunded. The license stays as it is, revoked or not. */
export async function notePartialRefund(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  const { now } = origin;
  const found = await findReversed(tx, event);
  if (found === undefined) return refuse('license_not_found');
  const { amount, currency = '' } = event;
  const refunded = amount === undefined ? '' : `: ${amount} ${currency}`.trimEnd();
  const noted = await changeLicense(tx, origin, { licenseKey: found.licenseKey, scope: EVERYBODY }, () => ({
    type: 'license.noted',
    entry: { subject: null, before: null, after: { text: `Part of the purchase was refunded${refunded}.` } },
  }));
  if (isRefusal(noted)) return noted;
  await recordEvent(tx, event, noted.licenseKey, now);
  return existingLicenseReply(noted, now);
}

/** The license of the purchaseId alone, if one is given; else the customer's newest. */
function findReversed(sql: Sql, { purchaseId, email, productId, variant }: StorefrontEvent) {
  return purchaseId === undefined
    ? findNewestLicense(sql, email, productId, variant)
    : findSold(sql, purchaseId, productId);
}
