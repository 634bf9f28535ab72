/** Selects the products of a request: the named one, or all that the caller may see. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findProduct, listProductIds } from './store.ts';

/** An API-key caller with more products than this must name one (rules 8.1). */
const MAX_PRODUCTS = 30;

/** Product ids, each once; null means all products. */
export interface ReachableProducts {
  readonly productIds: readonly string[] | null;
}

/** The named product, or all products that the caller may see. */
export async function reachableProducts(
  sql: Sql,
  productId: string | undefined,
  scope: Scope,
): Promise<ReachableProducts | Refusal<'too_many_products'>> {
  if (scope.creatorId === null) return { productIds: productId === undefined ? null : [productId] };
  if (productId !== undefined) {
    // Another creator's product lists like one that does not exist.
    const isReachable = (await findProduct(sql, productId, scope)) !== undefined;
    return { productIds: isReachable ? [productId] : [] };
  }
  const productIds = await listProductIds(sql, scope.creatorId, MAX_PRODUCTS + 1);
  if (productIds.length > MAX_PRODUCTS) return refuse('too_many_products', { details: { limit: MAX_PRODUCTS } });
  return { productIds };
}
