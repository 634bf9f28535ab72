/** Which products an answer is about: the one that a request names, or all that its caller may see. */
import type { Scope } from '../endpoint/caller.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Sql } from '../storage/storage.ts';
import { findProduct, listProductIds } from './store.ts';

/** Beyond it an API-key caller must name a product (rules 8.1). */
const MAXIMUM_PRODUCTS = 30;

/** The ids of products, each once; null stands for all there are. */
export interface ReachableProducts {
  readonly productIds: readonly string[] | null;
}

/** The products that the caller may see, the one that is named or all of them. */
export async function reachableProducts(
  sql: Sql,
  productId: string | undefined,
  scope: Scope,
): Promise<ReachableProducts | Refusal<'too_many_products'>> {
  if (scope.creatorId === null) return { productIds: productId === undefined ? null : [productId] };
  if (productId !== undefined) {
    // A product that is not the caller's lists like one that does not exist.
    const isReachable = (await findProduct(sql, productId, scope)) !== undefined;
    return { productIds: isReachable ? [productId] : [] };
  }
  const productIds = await listProductIds(sql, scope.creatorId, MAXIMUM_PRODUCTS + 1);
  if (productIds.length > MAXIMUM_PRODUCTS)
    return refuse('too_many_products', { details: { limit: MAXIMUM_PRODUCTS } });
  return { productIds };
}
