/**
 * Which license a purchaseId names. It names one within a creator's products only: anybody may write any purchaseId on
 * licenses of their own, and whoever guesses the next order of somebody else must not get, nor change, what is sold with
 * it. So the look-up must not visit what others wrote, however much it is:
 *
 * - Licenses of products that the catalogue did not know when they were made are the operator's own doing. Their index
 *   entries are walked product by product, one row each.
 * - Of the others, made by any creator, so few products are walked that nobody can make it long; where there are more,
 *   each product of the one creator is looked up instead.
 */
import { type Sql, statement, tableOf } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { License } from './license.ts';
import { LICENSE_COLUMNS, licenseFrom } from './store.ts';

/** Products of a purchaseId that are walked before a creator's own are looked up one by one. */
const MOST_WALKED = 32;
/** No limit on products: the greatest number that both engines count to here. */
const ALL = 0x7fffffff;

/** The next product after another (of all, where there is none before) that has licenses of this purchaseId. */
const nextProduct = (after: string) => `(select l.product_id from license l
    where l.purchase_id = $1 and l.in_catalogue = $2 ${after} order by l.product_id limit 1)`;

/** Steps from product to product, one index entry each, past however many licenses each has. */
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

/** The oldest license of the purchaseId for a product; `product` and `inCatalogue` are SQL expressions. */
const oldestOf = (product: string, inCatalogue: string) => `(select o.license_key from license o
    where o.purchase_id = $1 and o.in_catalogue = ${inCatalogue} and o.product_id = ${product}
    order by o.created_at, o.license_key limit 1)`;

const findOldestOfProducts = statement(
  'license.find_oldest_of_products',
  (dialect) => `select ${LICENSE_COLUMNS}
    from ${dialect.table('$2', { product_id: 'text', in_catalogue: 'integer' })} c
    join license l on l.license_key = ${oldestOf('c.product_id', 'c.in_catalogue')}
    order by l.created_at, l.license_key limit 1`,
);

const findOldestOfCreator = statement(
  'license.find_oldest_of_creator',
  `select ${LICENSE_COLUMNS} from product p join license l on l.license_key = ${oldestOf('p.product_id', '1')}
   where p.creator_id = $2 order by l.created_at, l.license_key limit 1`,
);

/**
 * The oldest license of a purchase among those of one creator's products, unlocked.
 *
 * @param creatorId null for the operator: products that the catalogue does not know
 */
export async function findLicenseOfPurchase(
  sql: Sql,
  purchaseId: string,
  creatorId: string | null,
): Promise<License | undefined> {
  type Sold = { readonly productId: string; readonly creatorId: string | null };
  const list = (inCatalogue: 0 | 1, most: number) => sql.all<Sold>(listProducts, purchaseId, inCatalogue, most);
  const [unknown, known] = await Promise.all([
    list(0, ALL),
    // What was in the catalogue still is, and so is no operator's.
    creatorId === null ? [] : list(1, MOST_WALKED),
  ]);
  const isCut = known.length === MOST_WALKED;
  const candidates = [
    ...unknown.map((sold) => ({ ...sold, inCatalogue: 0 })),
    ...(isCut ? [] : known.map((sold) => ({ ...sold, inCatalogue: 1 }))),
  ].filter((sold) => sold.creatorId === creatorId);
  const found: License[] = [];
  if (candidates.length > 0) {
    const products = tableOf(candidates.map(({ productId, inCatalogue }) => [productId, inCatalogue]));
    found.push(...(await sql.all<StoredRow>(findOldestOfProducts, purchaseId, products)).map(licenseFrom));
  }
  if (isCut) found.push(...(await sql.all<StoredRow>(findOldestOfCreator, purchaseId, creatorId)).map(licenseFrom));
  return found.sort(oldestFirst)[0];
}

function oldestFirst(one: License, other: License): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.licenseKey < other.licenseKey ? -1 : 1;
}
