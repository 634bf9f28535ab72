/** Finds the creator of a sale and the license sold (rules 6.1). */
import type { License } from '../licenses/license.ts';
import { findLicenseOfPurchase } from '../licenses/purchase-store.ts';
import { findProduct } from '../products/store.ts';
import type { Sql } from '../storage/storage.ts';

/** The webhook may act on products of every creator. */
export const EVERYBODY = { creatorId: null };

/** The creator of this product; null, the operator, for a product outside the catalogue. */
export async function findCreatorOf(sql: Sql, productId: string): Promise<string | null> {
  return (await findProduct(sql, productId, EVERYBODY))?.creatorId ?? null;
}

/**
 * The oldest license of a purchaseId among the products of the named product's creator, unlocked; the same purchaseId
 * of another creator is a different sale.
 */
export async function findSold(sql: Sql, purchaseId: string, productId: string): Promise<License | undefined> {
  return findLicenseOfPurchase(sql, purchaseId, await findCreatorOf(sql, productId));
}
