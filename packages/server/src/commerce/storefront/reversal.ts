/**
 * purchase.refunded and purchase.disputed: the payment is returned, so the license is revoked. A partial refund revokes
 * nothing (rules 6.3).
 */

import { revocationOf } from '../../licensing/licenses/revocation.ts';
import { findNewestLicense } from '../../licensing/licenses/store.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import type { WebhookReply } from './reply.ts';
import { changeSold, findSold } from './sale.ts';

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
  const { purchaseId, amount, currency } = event;
  // JSON drops undefined fields from the stored evidence.
  const evidence = { reportedBy: 'storefront', purchaseId, amount, currency };
  return changeSold(tx, event, origin, { found: await findReversed(tx, event) }, (license) =>
    revocationOf(license, reason, evidence, origin.now),
  );
}

/** Notes on the license that a part of its price was refunded. The license stays as it is, revoked or not. */
export async function notePartialRefund(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  const { amount, currency = '' } = event;
  const refunded = amount === undefined ? '' : `: ${amount} ${currency}`.trimEnd();
  return changeSold(tx, event, origin, { found: await findReversed(tx, event) }, () => ({
    type: 'license.noted',
    entry: { subject: null, before: null, after: { text: `Part of the purchase was refunded${refunded}.` } },
  }));
}

/** Notes a dispute that was won. The license stays revoked: a person decides whether to reinstate it. */
export async function noteWonDispute(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  return changeSold(tx, event, origin, { found: await findReversed(tx, event) }, () => ({
    type: 'license.noted',
    entry: { subject: null, before: null, after: { text: 'The dispute was won. Reinstating lifts the revocation.' } },
  }));
}

/** The license of the purchaseId alone, if one is given; else the customer's newest. */
function findReversed(sql: Sql, { purchaseId, email, productId, variant }: StorefrontEvent) {
  return purchaseId === undefined
    ? findNewestLicense(sql, email, productId, variant)
    : findSold(sql, purchaseId, productId);
}
