/** Questions of connectors to the catalogue: whether mappings reach their products, and the variant of a variantId. */
import { findProduct } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Mapping } from './mapping.ts';

/**
 * The refusal of mappings that lead to products beyond the owner of their connector; null if all may. The operator may
 * sell products that the catalogue does not know.
 */
export async function refuseMappings(
  sql: Sql,
  mappings: readonly Mapping[],
  owner: Scope,
): Promise<Refusal<'product_not_found'> | null> {
  const products = new Set(
    mappings.flatMap(({ target }) => (target === 'ignore' ? [] : [target.productId, ...target.unlockedProducts])),
  );
  for (const productId of owner.creatorId === null ? [] : products)
    if ((await findProduct(sql, productId, owner)) === undefined) return refuse('product_not_found');
  return null;
}
