/** Discount codes and the pure rules of redeeming them (rules 2.6, 4.7.5). */
import { fromTimestamp } from '../clock.ts';
import { text } from '../endpoint/field-types.ts';
import type { Product } from '../products/product.ts';
import { type Refusal, refuse } from '../refusals.ts';

export interface DiscountCode {
  /** As it was written; compared without case, see {@link foldCode}. */
  readonly code: string;
  /** Null does not restrict it to one product. */
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
export const codeField = text('The code. Case and surrounding blanks do not matter.', 100);

/** A code as it is compared: people type it in any case and paste it with blanks. */
export function foldCode(code: string): string {
  return code.trim().toLowerCase();
}

/** Somebody who wants to redeem a code. */
export interface RedemptionAttempt {
  readonly productId: string;
  /** The product, where the catalogue knows it. */
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

/** Why a code cannot be redeemed, the first reason in the order that callers may rely on; null when it can. */
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
 * Whether a code is for a product. A creator's code never opens what belongs to another creator, not even a product that
 * it names and that has changed hands since; an operator's code without a product is for every product.
 */
function fitsProduct(code: DiscountCode, { productId, product, isPurchase }: RedemptionAttempt): boolean {
  if (code.productId !== null && code.productId !== productId) return false;
  // A discontinued product gives no new trials; what the storefront has sold is honoured all the same.
  if (product?.status === 'archived' && !isPurchase) return false;
  if (code.creatorId === null) return true;
  return product === undefined ? code.productId !== null : product.creatorId === code.creatorId;
}
