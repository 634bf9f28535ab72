/** Discount codes and the pure rules of redeeming them (rules 2.6, 4.7.5). */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { Product } from '../../licensing/products/product.ts';
import { text } from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

export interface DiscountCode {
  /** In the original case; compared without case, see {@link foldCode}. */
  readonly code: string;
  /** Null: any product. */
  readonly productId: string | null;
  /** Its owner; null for an operator's code. */
  readonly creatorId: string | null;
  readonly trialDays: number;
  /** Null is unlimited. */
  readonly maxUses: number | null;
  readonly usedCount: number;
  readonly active: boolean;
  readonly createdAt: string;
  /** Null never expires. */
  readonly expiresAt: string | null;
}

/** A code in a request. */
export const codeField = text('The code. Case, spaces and marks around it do not matter.', 100);

/** An attempt to redeem a code. */
export interface RedemptionAttempt {
  readonly productId: string;
  /** The product; undefined outside the catalogue. */
  readonly product: Pick<Product, 'creatorId' | 'status'> | undefined;
  /** Whether this e-mail address has redeemed the code before. */
  readonly isRepeated: boolean;
  /** Whether the code came with a purchase that the storefront reports. */
  readonly isPurchase: boolean;
}

/** Why a code cannot be redeemed. */
export type RedemptionRefusalCode =
  | 'code_unknown'
  | 'code_deactivated'
  | 'code_expired'
  | 'code_not_applicable'
  | 'code_already_redeemed'
  | 'code_max_uses';

/** The refusal to redeem a code, for the first reason in the documented order; null when the code can be redeemed. */
export function refusalForRedemption(
  code: DiscountCode,
  attempt: RedemptionAttempt,
  now: number,
): Refusal<RedemptionRefusalCode> | null {
  if (!code.active) return refuse('code_deactivated');
  if (code.expiresAt !== null && fromTimestamp(code.expiresAt) <= now) return refuse('code_expired');
  if (!fitsProduct(code, attempt)) return refuse('code_not_applicable');
  if (attempt.isRepeated) return refuse('code_already_redeemed');
  if (code.maxUses !== null && code.usedCount >= code.maxUses) return refuse('code_max_uses');
  return null;
}

/**
 * Whether a code is for a product. A creator's code never applies to another creator's product, even one that it names
 * and that has changed hands since. An operator's code without a product applies to every product.
 */
function fitsProduct(code: DiscountCode, { productId, product, isPurchase }: RedemptionAttempt): boolean {
  if (code.productId !== null && code.productId !== productId) return false;
  // An archived product gives no new trials, but a purchase from the storefront is always honoured.
  if (product?.status === 'archived' && !isPurchase) return false;
  if (code.creatorId === null) return true;
  return product === undefined ? code.productId !== null : product.creatorId === code.creatorId;
}
