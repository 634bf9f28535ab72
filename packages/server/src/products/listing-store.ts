/**
 * Lists of products, newest first. Each status is a walk along an index from the page's place that stops at the limit,
 * so that a page costs the same however many products there are.
 */
import type { PagePlace } from '../endpoint/page.ts';
import { type Sql, statement } from '../storage/storage.ts';
import type { Product, ProductStatus } from './product.ts';
import { PRODUCT_COLUMNS } from './store.ts';

const listOfStatus = statement(
  'product.list_of_status',
  `select ${PRODUCT_COLUMNS} from product p where p.status = $1 and (p.created_at, p.product_id) < ($2, $3)
   order by p.created_at desc, p.product_id desc limit $4`,
);

const listOfCreatorAndStatus = statement(
  'product.list_of_creator_and_status',
  `select ${PRODUCT_COLUMNS} from product p
   where p.creator_id = $5 and p.status = $1 and (p.created_at, p.product_id) < ($2, $3)
   order by p.created_at desc, p.product_id desc limit $4`,
);

/**
 * A page of products, newest first.
 *
 * @param statuses the statuses wanted, each once
 * @param creatorId null lists everybody's
 * @param limit products at most
 */
export async function listProducts(
  sql: Sql,
  statuses: readonly ProductStatus[],
  creatorId: string | null,
  after: PagePlace,
  limit: number,
): Promise<Product[]> {
  const found: Product[] = [];
  for (const status of statuses) {
    const values = [status, after.createdAt, after.id, limit];
    const page =
      creatorId === null
        ? await sql.all<Product>(listOfStatus, ...values)
        : await sql.all<Product>(listOfCreatorAndStatus, ...values, creatorId);
    found.push(...page);
  }
  return found.sort(newestFirst).slice(0, limit);
}

function newestFirst(one: Product, other: Product): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.productId < other.productId ? 1 : -1;
}
