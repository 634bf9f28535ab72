/** Whose sale an event is about, and which license was sold (rules 6.1). */
import type { License } from '../licenses/license.ts';
import { findLicenseOfPurchase } from '../licenses/purchase-store.ts';
import { findProduct } from '../products/store.ts';
import type { Sql } from '../storage/storage.ts';

/** The webhook speaks for everybody's products. */
export const EVERYBODY = { creatorId: null };

/** The creator whose product this is; null, the operator, for a product that the catalogue does not know. */
export async function findCreatorOf(sql: Sql, productId: string): Promise<string | null> {
  return (await findProduct(sql, productId, EVERYBODY))?.creatorId ?? null;
}

/**
 * The oldest license of a purchaseId among the products of the creator whose product is named, unlocked: what another
 * creator calls by the same purchaseId is not this sale.
 */
export async function findSold(sql: Sql, purchaseId: string, productId: string): Promise<License | undefined> {
  return findLicenseOfPurchase(sql, purchaseId, await findCreatorOf(sql, productId));
}
