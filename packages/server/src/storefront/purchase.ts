/** purchase.completed: a buyer gets a license (specification, "Events"). */
import { lockRedeemableCode, recordRedemption } from '../discount-codes/redeem.ts';
import type { Reply } from '../endpoint/endpoint.ts';
import { DEFAULT_VARIANT, issueLicense } from '../licenses/issue.ts';
import { findLicenseOfPurchase } from '../licenses/store.ts';
import { findVariant } from '../products/variant-store.ts';
import { isRefusal } from '../refusals.ts';
import type { Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { purchasedExpiry } from './expiry.ts';
import { lockPurchase, recordEvent } from './store.ts';

/**
 * Issues the license of a purchase, once per purchaseId. A discount code that can be redeemed counts as used; one that
 * cannot gives no trial and does not stop a sale that has been paid for.
 */
export async function completePurchase(tx: Tx, event: StorefrontEvent, now: number): Promise<Reply> {
  if (event.purchaseId !== undefined) {
    await lockPurchase(tx, event.purchaseId, now);
    const known = await findLicenseOfPurchase(tx, event.purchaseId);
    if (known !== undefined) return { success: true, licenseKey: known.licenseKey, duplicate: true };
  }
  const code = await redeemableCode(tx, event, now);
  const variant = await findVariant(tx, event.productId, event.variant ?? DEFAULT_VARIANT);
  const { durationDays, trialDays } = event;
  const expiresAt = purchasedExpiry(
    { durationDays, trialDays, codeTrialDays: code?.trialDays, variantDurationDays: variant?.durationDays },
    now,
  );
  const license = await issueLicense(tx, { ...event, expiresAt }, now);
  if (code !== undefined) await recordRedemption(tx, code, license, now);
  await recordEvent(tx, event, license.licenseKey, now);
  return { success: true, licenseKey: license.licenseKey, duplicate: false };
}

async function redeemableCode(tx: Tx, { discountCode, productId, email }: StorefrontEvent, now: number) {
  if (discountCode === undefined) return undefined;
  const code = await lockRedeemableCode(tx, { code: discountCode, productId, email, isPurchase: true }, now);
  return isRefusal(code) ? undefined : code;
}
