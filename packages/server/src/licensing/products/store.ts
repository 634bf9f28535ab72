/** Stored products. Lists are in listing-store.ts. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { requireUnchanged, Table, textColumn } from '../../storage/contract/table.ts';
import type { Product } from './product.ts';

export const productTable = new Table<Product>('product', {
  productId: textColumn('product_id'),
  name: textColumn('name'),
  creatorId: textColumn('creator_id'),
  status: textColumn('status'),
  createdAt: textColumn('created_at'),
  updatedAt: textColumn('updated_at'),
});

/** The select list of a product; `p` is the table. */
export const PRODUCT_COLUMNS = productTable.select('p');
/** The fields that no change writes. */
const FIXED_FIELDS = ['productId', 'createdAt'] as const;
const CHANGEABLE_FIELDS = productTable.except(FIXED_FIELDS);

/** The comparison comes first because PostgreSQL takes the parameter's type from its first use. */
const FIND_IN_SCOPE = `select ${PRODUCT_COLUMNS} from product p
  where p.product_id = $1 and (p.creator_id = $2 or $2 is null)`;

const findInScope = statement('product.find', FIND_IN_SCOPE);

const lockInScope = statement('product.lock', (dialect) => `${FIND_IN_SCOPE} ${dialect.forUpdate}`);

const listIdsOfCreator = statement(
  'product.list_ids_of_creator',
  `select p.product_id as "productId" from product p where p.creator_id = $1
   order by p.created_at, p.product_id limit $2`,
);

const insert = recorded(productTable.insert('product.insert', { conflict: 'on conflict (product_id) do nothing' }));

const update = recorded(productTable.update('product.update', ['productId'], CHANGEABLE_FIELDS));

const findAnyOfProduct = statement(
  'license.find_any_of_product',
  'select l.license_key as "licenseKey" from license l where l.product_id = $1 limit 1',
);

/** The product with this id, if it is in scope. */
export function findProduct(sql: Sql, productId: string, scope: Scope): Promise<Product | undefined> {
  return sql.first<Product>(findInScope, productId, scope.creatorId);
}

/**
 * The product with this id, if it is in scope, locked until the transaction ends. Every change of a product or its
 * variants holds this lock.
 */
export function lockProduct(tx: Tx, productId: string, scope: Scope): Promise<Product | undefined> {
  return tx.first<Product>(lockInScope, productId, scope.creatorId);
}

/** The ids of a creator's products, at most `limit`. */
export async function listProductIds(sql: Sql, creatorId: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ productId: string }>(listIdsOfCreator, creatorId, limit);
  return rows.map((row) => row.productId);
}

/** Adds a product; returns false when its slug is taken. Of several concurrent calls, exactly one adds it. */
export async function insertProduct(tx: RecordedTx, product: Product): Promise<boolean> {
  return (await tx.run(insert, productTable.rows([product], productTable.fields))) === 1;
}

/** Writes the changeable fields of a locked product. @throws when another field differs */
export async function updateProduct(tx: RecordedTx, before: Product, product: Product): Promise<void> {
  requireUnchanged('product', before, product, FIXED_FIELDS);
  await tx.run(update, productTable.rows([product], ['productId', ...CHANGEABLE_FIELDS]));
}

/** Whether a product has any license, of any owner: a slug with licenses cannot be claimed. */
export async function hasLicenses(sql: Sql, productId: string): Promise<boolean> {
  return (await sql.first(findAnyOfProduct, productId)) !== undefined;
}
