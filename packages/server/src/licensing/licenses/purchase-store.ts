/**
 * Finds the license of a purchaseId. The look-up is limited to one creator's products: anybody may put any purchaseId
 * on their own licenses, and a creator who guesses somebody else's next order number must neither get nor change the
 * items sold with it. So the look-up must not read licenses of other creators, regardless of their number:
 *
 * - Licenses of products that were outside the catalogue at creation were made by the operator. Their index entries
 *   are read product by product, one row each.
 * - Licenses of catalogue products may come from any creator. A bounded number of these products is read; if there are
 *   more, each product of the one creator is looked up instead.
 */
import { type Sql, statement, tableOf } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import type { License } from './license.ts';
import { newestFirst } from './listing-store.ts';
import { LICENSE_COLUMNS, licenseFrom } from './store.ts';

/** Products of a purchaseId that are read before a creator's own products are looked up one by one. */
const MAX_WALKED = 32;
/** No limit on products: the greatest integer that both engines accept here. */
const ALL = 0x7fffffff;

/** The product that follows another one (or the first product) among those with licenses of this purchaseId. */
const nextProduct = (after: string) => `(select l.product_id from license l
    where l.purchase_id = $1 and l.in_catalogue = $2 ${after} order by l.product_id limit 1)`;

/** Steps from product to product, one index entry each, regardless of the number of licenses per product. */
const listProducts = statement(
  'license.list_products_of_purchase',
  `with recursive sold (product_id, number) as (
     select ${nextProduct('')}, 1
     union all
     select ${nextProduct('and l.product_id > s.product_id')}, s.number + 1
       from sold s where s.product_id is not null and s.number < $3
   )
   select s.product_id as "productId", p.creator_id as "creatorId"
   from sold s left join product p on p.product_id = s.product_id where s.product_id is not null`,
);

/** The oldest license of the preferred product, else of any. */
const preferred = (parameter: string) =>
  `order by case when l.product_id = ${parameter} then 0 else 1 end, l.created_at, l.license_key limit 1`;

/** The oldest license in force of the purchaseId for a product; `product` and `inCatalogue` are SQL expressions. */
const oldestOf = (product: string, inCatalogue: string) => `(select o.license_key from license o
    where o.purchase_id = $1 and o.in_catalogue = ${inCatalogue} and o.product_id = ${product} and o.replaced_by is null
    order by o.created_at, o.license_key limit 1)`;

const findOldestOfProducts = statement(
  'license.find_oldest_of_products',
  (dialect) => `select ${LICENSE_COLUMNS}
    from ${dialect.table('$2', { product_id: 'text', in_catalogue: 'integer' })} c
    join license l on l.license_key = ${oldestOf('c.product_id', 'c.in_catalogue')}
    ${preferred('$3')}`,
);

const findOldestOfCreator = statement(
  'license.find_oldest_of_creator',
  `select ${LICENSE_COLUMNS} from product p join license l on l.license_key = ${oldestOf('p.product_id', '1')}
   where p.creator_id = $2 ${preferred('$3')}`,
);

/** The creators that sold something with a purchaseId, null for the operator; beyond 32 products only some of them. */
export async function listOwnersOfPurchase(sql: Sql, purchaseId: string): Promise<readonly (string | null)[]> {
  const sold = await Promise.all(
    [0, 1].map((inCatalogue) =>
      sql.all<{ readonly creatorId: string | null }>(listProducts, purchaseId, inCatalogue, MAX_WALKED),
    ),
  );
  return [...new Set(sold.flat().map(({ creatorId }) => creatorId))];
}

/** A purchase among the products of one creator. */
export interface PurchaseOf {
  readonly purchaseId: string;
  readonly creatorId: string | null;
  /** A license of this product is taken first. */
  readonly preferredProduct?: string;
}

/**
 * The oldest license of a purchase for the preferred product, else the oldest among all products of the creator;
 * unlocked.
 *
 * @param purchase.creatorId null for the operator: products outside the catalogue
 */
export async function findLicenseOfPurchase(
  sql: Sql,
  { purchaseId, creatorId, preferredProduct = '' }: PurchaseOf,
): Promise<License | undefined> {
  type Sold = { readonly productId: string; readonly creatorId: string | null };
  const list = (inCatalogue: 0 | 1, most: number) => sql.all<Sold>(listProducts, purchaseId, inCatalogue, most);
  const [unknown, known] = await Promise.all([
    list(0, ALL),
    // Products never leave the catalogue, so products that were in it do not belong to the operator.
    creatorId === null ? [] : list(1, MAX_WALKED),
  ]);
  const isCut = known.length === MAX_WALKED;
  const candidates = [
    ...unknown.map((sold) => ({ ...sold, inCatalogue: 0 })),
    ...(isCut ? [] : known.map((sold) => ({ ...sold, inCatalogue: 1 }))),
  ].filter((sold) => sold.creatorId === creatorId);
  const found: License[] = [];
  if (candidates.length > 0) {
    const products = tableOf(candidates.map(({ productId, inCatalogue }) => [productId, inCatalogue]));
    found.push(
      ...(await sql.all<StoredRow>(findOldestOfProducts, purchaseId, products, preferredProduct)).map(licenseFrom),
    );
  }
  if (isCut)
    found.push(
      ...(await sql.all<StoredRow>(findOldestOfCreator, purchaseId, creatorId, preferredProduct)).map(licenseFrom),
    );
  const isPreferred = (license: License) => Number(license.productId === preferredProduct);
  return found.sort((one, other) => isPreferred(one) - isPreferred(other) || newestFirst(one, other)).at(-1);
}
