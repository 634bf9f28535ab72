/** The words for codes and their states. */
import type { DiscountCode } from '../api/contract.ts';
import { counted, countText } from '../parts/count-words.ts';
import type { StatusWords } from '../parts/status.tsx';

/**
 * Whether a code works, and if not, the first reason that the service would give. @param now milliseconds since 1970
 */
export function stateOf(
  code: Pick<DiscountCode, 'active' | 'expiresAt' | 'usedCount' | 'maxUses'>,
  now: number,
): StatusWords {
  if (!code.active) return { tone: 'quiet', title: 'Switched off' };
  if (code.expiresAt !== null && Date.parse(code.expiresAt) <= now) return { tone: 'quiet', title: 'Expired' };
  if (code.maxUses !== null && code.usedCount >= code.maxUses) return { tone: 'warn', title: 'Used up' };
  return { tone: 'good', title: 'Works' };
}

/** The scope of a code. */
export function forText({ productId, creatorId }: Pick<DiscountCode, 'productId' | 'creatorId'>): string {
  if (productId !== null) return productId;
  return creatorId === null ? 'Every product' : `All products of ${creatorId}`;
}

/** "3 of 100 uses", "3 uses". */
export function usesText({ usedCount, maxUses }: Pick<DiscountCode, 'usedCount' | 'maxUses'>): string {
  if (maxUses !== null) return `${countText(usedCount)} of ${countText(maxUses)} uses`;
  return `${counted(usedCount, 'use')}, no limit`;
}
