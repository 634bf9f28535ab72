/** Redeems codes: for customers with a trial code, and for purchases reported by the storefront. */

import { findProduct } from '../../licensing/products/store.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { type DiscountCode, type RedemptionRefusalCode, refusalForRedemption } from './discount-code.ts';
import { findRedemptionOf, lockDiscountCode } from './store.ts';

/** A request to redeem a code. */
export interface RedemptionRequest {
  readonly code: string;
  readonly productId: string;
  readonly email: string;
  /** Whether it belongs to a purchase reported by the storefront. */
  readonly isPurchase: boolean;
}

/** A redemption has no caller whose products limit it: the code alone decides. */
const EVERYBODY = { creatorId: null };

/**
 * Locks and returns the code if it can be redeemed; else returns the refusal. Concurrent redemptions of a code wait for
 * the lock, so that maxUses and one redemption per e-mail hold exactly. Call redeemDiscountCode of change.ts next, in
 * the same transaction.
 */
export async function lockRedeemableCode(
  tx: Tx,
  { code, productId, email, isPurchase }: RedemptionRequest,
  now: number,
): Promise<DiscountCode | Refusal<RedemptionRefusalCode>> {
  const found = await lockDiscountCode(tx, code, EVERYBODY);
  if (found === undefined) return refuse('code_unknown');
  const product = await findProduct(tx, productId, EVERYBODY);
  const isRepeated = (await findRedemptionOf(tx, found, email)) !== undefined;
  return refusalForRedemption(found, { productId, product, isRepeated, isPurchase }, now) ?? found;
}
