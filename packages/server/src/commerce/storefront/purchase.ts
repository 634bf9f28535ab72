/** purchase.completed: a buyer gets a license (rules 6.2). */

import { DEFAULT_VARIANT, issueLicense } from '../../licensing/licenses/issue.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import { findVariant } from '../../licensing/products/variant-store.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { redeemDiscountCode } from '../discount-codes/change.ts';
import { lockRedeemableCode } from '../discount-codes/redeem.ts';
import type { StorefrontEvent } from './event.ts';
import { purchasedExpiry } from './expiry.ts';
import type { WebhookReply } from './reply.ts';
import { findCreatorOf, isInCatalogue } from './sale.ts';
import { lockPurchase, recordEvent } from './store.ts';

/**
 * Issues the license of a purchase, once per purchaseId and creator. A redeemable discount code counts as used; any
 * other code gives no trial and does not block a paid sale.
 */
export async function completePurchase(tx: Tx, event: StorefrontEvent, origin: Origin): Promise<WebhookReply> {
  const { now } = origin;
  if (event.purchaseId !== undefined) {
    const creatorId = await findCreatorOf(tx, event.productId);
    await lockPurchase(tx, event.purchaseId, creatorId, now);
    const known = await findLicenseOfPurchase(tx, event.purchaseId, creatorId);
    if (known !== undefined) return repeatedPurchase(known, event);
  }
  const code = await redeemableCode(tx, event, now);
  const variant = await findVariant(tx, event.productId, event.variant ?? DEFAULT_VARIANT);
  const expiresAt = purchasedExpiry({ event, codeTrialDays: code?.trialDays, variant }, now);
  const license = await issueLicense(tx, { ...event, expiresAt }, origin);
  if (code !== undefined) await redeemDiscountCode(tx, origin, code, license);
  await recordEvent(tx, event, license, now);
  const isMistyped = variant === undefined && event.variant !== undefined && (await isInCatalogue(tx, event.productId));
  const warnings = isMistyped ? { warnings: ['variant_not_found' as const] } : {};
  return { success: true, licenseKey: license.licenseKey, duplicate: false, ...warnings };
}

/** The reply to a purchase whose license exists; it says so if that license is of another product. */
function repeatedPurchase({ licenseKey, productId, variant }: License, event: StorefrontEvent): WebhookReply {
  const known = { success: true, licenseKey, duplicate: true } as const;
  return productId === event.productId ? known : { ...known, productId, variant, warnings: ['other_product'] };
}

async function redeemableCode(tx: Tx, { discountCode, productId, email }: StorefrontEvent, now: number) {
  if (discountCode === undefined) return undefined;
  const code = await lockRedeemableCode(tx, { code: discountCode, productId, email, isPurchase: true }, now);
  return isRefusal(code) ? undefined : code;
}
