/** Redeems codes: for customers with a trial code, and for purchases that the storefront reports. */
import { findProduct } from '../products/store.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Tx } from '../storage/storage.ts';
import { type DiscountCode, type RedemptionRefusalCode, refusalForRedemption } from './discount-code.ts';
import { hasRedeemed, lockDiscountCode } from './store.ts';

/** Who wants to redeem what. */
export interface RedemptionRequest {
  readonly code: string;
  readonly productId: string;
  readonly email: string;
  /** Whether it comes with a purchase that the storefront reports. */
  readonly isPurchase: boolean;
}

/** A redemption has no caller whose products would limit it: the code itself says what it is good for. */
const EVERYBODY = { creatorId: null };

/**
 * The code, locked, when it can be redeemed; else why not. Those who want the same code queue here, so that maxUses and
 * one redemption per e-mail hold exactly. Follow it with redeemDiscountCode of change.ts in the
 * same transaction.
 */
export async function lockRedeemableCode(
  tx: Tx,
  { code, productId, email, isPurchase }: RedemptionRequest,
  now: number,
): Promise<DiscountCode | Refusal<RedemptionRefusalCode>> {
  const found = await lockDiscountCode(tx, code, EVERYBODY);
  if (found === undefined) return refuse('code_unknown');
  const product = await findProduct(tx, productId, EVERYBODY);
  const isRepeated = await hasRedeemed(tx, found, email);
  return refusalForRedemption(found, { productId, product, isRepeated, isPurchase }, now) ?? found;
}
