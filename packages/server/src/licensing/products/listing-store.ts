/**
 * Lists of products, newest first. Each status is an index scan from the cursor up to the limit, so a page costs the
 * same for any number of products.
 */
import { fallingBy } from '../../platform/endpoint/merged-scans.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Product, ProductStatus } from './product.ts';
import { PRODUCT_COLUMNS } from './store.ts';

const list = (name: string, agreed: Readonly<Record<string, string>>) =>
  new NamedStatement(
    name,
    ['createdAt', 'id', 'limit', 'status', 'creatorId'],
    (dialect) => `select ${PRODUCT_COLUMNS} from product p ${pageAlong(dialect, 'p', 'product_id', agreed)}`,
  );

const listOfStatus = list('product.list_of_status', { status: ':status' });

const listOfCreatorAndStatus = list('product.list_of_creator_and_status', {
  creator_id: ':creatorId',
  status: ':status',
});

/**
 * A page of products, newest first.
 *
 * @param statuses each once
 * @param creatorId null lists products of all creators
 * @param limit maximum number of products
 */
export async function listProducts(
  sql: Sql,
  statuses: readonly ProductStatus[],
  creatorId: string | null,
  after: PageCursor,
  limit: number,
): Promise<Product[]> {
  const found: Product[] = [];
  const page = creatorId === null ? listOfStatus : listOfCreatorAndStatus;
  for (const status of statuses) found.push(...(await page.all<Product>(sql, { ...after, limit, status, creatorId })));
  return found.sort(fallingBy('createdAt', 'productId')).slice(0, limit);
}
