/**
 * The look-ups of licenses by a part of their address or of their purchase (rules 4.3.1). The parts are computed by the
 * database, and each has an index, so they follow every change of an address without a second copy of it. The
 * expressions of the indexes in the baseline are the same texts: an index on another text would not be used.
 */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { NEWEST } from '../../platform/endpoint/page.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { Beginning } from './query-form.ts';
import { type FoundPurchase, foundPurchases, LICENSE, type PurchaseRow, WANTED } from './search-store.ts';

/** The text before the last @, with every separator as a dot. */
const LOCAL =
  "replace(replace(rtrim(rtrim(l.email_folded, replace(l.email_folded, '@', '')), '@'), '_', '.'), '-', '.')";
const PURCHASE = "replace(replace(replace(l.purchase_id, ':', '-'), '_', '-'), '#', '-')";

/** The text after the last `separator`; the whole text without one. */
const afterLast = (text: string, separator: string) =>
  `substr(${text}, length(rtrim(${text}, replace(${text}, '${separator}', ''))) + 1)`;

/** The parts, each as an expression of a license `l`. */
const PARTS = {
  domain: { value: afterLast('l.email_folded', '@'), condition: '' },
  last_name: { value: afterLast(LOCAL, '.'), condition: '' },
  order_number: { value: afterLast(PURCHASE, '-'), condition: 'and l.purchase_id is not null' },
} as const;

/** A part of an address or of a purchase that searches know. */
export type SearchedPart = keyof typeof PARTS;

const NAMES = ['wanted', 'to', 'creator', 'product', 'createdAt', 'id', 'limit'] as const;

function searchesOf(part: SearchedPart) {
  const { value, condition } = PARTS[part];
  const equal = `${value} = :wanted and l.product_id = o.product_id ${condition}`;
  return {
    ofAll: new NamedStatement(
      `license.search_${part}`,
      NAMES,
      () => `select ${LICENSE}, l.purchase_id as "purchaseId" from license l where ${value} >= :wanted and ${value} < :to ${condition}
        order by ${value}, l.product_id, l.created_at, l.license_key limit :limit`,
    ),
    // Looks one license of each product up. With `exists`, PostgreSQL could collect all licenses of the part first.
    products: new NamedStatement(
      `product.search_${part}_of_creator`,
      NAMES,
      () => `select o.product_id as "productId" from ${WANTED.replace('$1', ':wanted').replace('$2', ':creator')} o
        where (select l.license_key from license l where ${equal} limit 1) is not null
        order by o.product_id limit :limit`,
    ),
    ofProduct: new NamedStatement(
      `license.list_${part}_of_product`,
      NAMES,
      (dialect) =>
        `select ${LICENSE}, l.purchase_id as "purchaseId" from license l ${indexScan(dialect, {
          agreed: { [value]: ':wanted', 'l.product_id': ':product' },
          cursor: { 'l.created_at': ':createdAt', 'l.license_key': ':id' },
          filter: condition,
          limit: ':limit',
        })}`,
    ),
  };
}

const SEARCHES = {
  domain: searchesOf('domain'),
  last_name: searchesOf('last_name'),
  order_number: searchesOf('order_number'),
} as const satisfies Record<SearchedPart, unknown>;

/** Licenses whose part begins with a text; for a creator, only those whose part equals it, product by product. */
export async function searchPart(
  sql: Sql,
  part: SearchedPart,
  { from, to }: Beginning,
  { creatorId }: Scope,
  limit: number,
  now: number,
): Promise<readonly FoundPurchase[]> {
  const { ofAll, products, ofProduct } = SEARCHES[part];
  const values = { wanted: from, to, creator: creatorId, product: null, createdAt: null, id: null, limit };
  if (creatorId === null) return foundPurchases(await ofAll.all<PurchaseRow>(sql, values), now);
  const found: PurchaseRow[] = [];
  for (const { productId: product } of await products.all<{ readonly productId: string }>(sql, values)) {
    if (found.length >= limit) break;
    const page = { ...values, ...NEWEST, product, limit: limit - found.length };
    found.push(...(await ofProduct.all<PurchaseRow>(sql, page)));
  }
  return foundPurchases(found, now);
}
