/** Products as they are stored. */
import type { Scope } from '../endpoint/caller.ts';
import { type Sql, statement } from '../storage/storage.ts';
import type { Product } from './product.ts';

const COLUMNS = `p.product_id as "productId", p.name as "name", p.creator_id as "creatorId", p.status as "status",
  p.created_at as "createdAt", p.updated_at as "updatedAt"`;

const findInScope = statement(
  'product.find',
  `select ${COLUMNS} from product p where p.product_id = $1 and (p.creator_id = $2 or $2 is null)`,
);

const listIdsOfCreator = statement(
  'product.list_ids_of_creator',
  `select p.product_id as "productId" from product p where p.creator_id = $1
   order by p.created_at, p.product_id limit $2`,
);

/** The product with this id, if the scope reaches it. */
export function findProduct(sql: Sql, productId: string, scope: Scope): Promise<Product | undefined> {
  return sql.first<Product>(findInScope, productId, scope.creatorId);
}

/** The ids of a creator's products, `limit` at most. */
export async function listProductIds(sql: Sql, creatorId: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ productId: string }>(listIdsOfCreator, creatorId, limit);
  return rows.map((row) => row.productId);
}
