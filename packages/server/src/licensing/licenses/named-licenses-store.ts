/**
 * Finds the licenses that lines of a list name: by keys, addresses and purchases, each kind with one statement for all
 * lines. A creator's statements go from each line to the creator's own products, so licenses of others cost nothing.
 */
import { type Dialect, listOf, type Sql, type Statement, statement, tableOf } from '../../storage/contract/storage.ts';
import { parseStored } from '../../storage/contract/stored-json.ts';
import { licenseTable } from './license-table.ts';
import { LISTED_FIELDS, type ListedLicense } from './listing-store.ts';

const listByKeys = statement(
  'license.list_named',
  (dialect) =>
    `select ${licenseTable.select('l', LISTED_FIELDS)} from license l where l.license_key ${dialect.among('$1')}`,
);

/** A column that lines name, as its index has it. */
const COLUMNS = {
  email: 'l.email_folded = w.wanted',
  purchase: "l.purchase_id is not null and l.purchase_id || '' = w.wanted",
} as const;

/** The keys of the newest licenses with each wanted value, as JSON text: each key alone in an array. */
const keysOf = (dialect: Dialect, condition: string) =>
  `(${dialect.rowsAsText(
    ['license_key'],
    `select l.license_key from license l where ${condition} order by l.created_at desc, l.license_key desc limit $2`,
  )}) as "keys"`;

const listKeys = (name: keyof typeof COLUMNS) => ({
  ofAll: statement(
    `license.list_keys_named_by_${name}`,
    (dialect) => `select w.wanted as "wanted", ${keysOf(dialect, COLUMNS[name])}
      from ${dialect.table('$1', { wanted: 'text' })} w`,
  ),
  ofProducts: statement(
    `license.list_keys_named_by_${name}_of_products`,
    (dialect) =>
      `select w.wanted as "wanted", ${keysOf(dialect, `${COLUMNS[name]} and l.product_id = w.product_id`)}
      from ${dialect.table('$1', { wanted: 'text', product_id: 'text' })} w`,
  ),
});

const byEmail = listKeys('email');
const byPurchase = listKeys('purchase');

/** The names of licenses on the lines, in the forms for comparison. */
export interface NamesOfLicenses {
  readonly keys: readonly string[];
  readonly emails: readonly string[];
  readonly purchases: readonly string[];
}

/** Found licenses: by key, and the keys of those with an address or a purchase. */
export interface NamedLicenses {
  readonly byKey: ReadonlyMap<string, ListedLicense>;
  readonly keysByEmail: ReadonlyMap<string, readonly string[]>;
  readonly keysByPurchase: ReadonlyMap<string, readonly string[]>;
}

/**
 * The licenses with these names.
 *
 * @param productIds the products to look in, each once; null looks in all
 * @param most maximum number of licenses of one address or purchase, the newest first within each product
 */
export async function findNamedLicenses(
  sql: Sql,
  names: NamesOfLicenses,
  productIds: readonly string[] | null,
  most: number,
): Promise<NamedLicenses> {
  const keysByEmail = await keysWith(sql, byEmail, names.emails, productIds, most);
  const keysByPurchase = await keysWith(sql, byPurchase, names.purchases, productIds, most);
  const keys = new Set([...names.keys, ...keysByEmail.values(), ...keysByPurchase.values()].flat());
  const rows = keys.size === 0 ? [] : await sql.all<ListedLicense>(listByKeys, listOf([...keys]));
  const inScope = rows.filter(({ productId }) => productIds === null || productIds.includes(productId));
  return { byKey: new Map(inScope.map((row) => [row.licenseKey, row])), keysByEmail, keysByPurchase };
}

async function keysWith(
  sql: Sql,
  { ofAll, ofProducts }: { readonly ofAll: Statement; readonly ofProducts: Statement },
  wanted: readonly string[],
  productIds: readonly string[] | null,
  most: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (wanted.length === 0 || productIds?.length === 0) return found;
  const pairs = wanted.flatMap((each) =>
    productIds === null ? [[each]] : productIds.map((productId) => [each, productId]),
  );
  type Row = { readonly wanted: string; readonly keys: string };
  for (const row of await sql.all<Row>(productIds === null ? ofAll : ofProducts, tableOf(pairs), most)) {
    const keys = (parseStored(row.keys) as readonly (readonly [string])[]).map(([key]) => key);
    found.set(row.wanted, [...(found.get(row.wanted) ?? []), ...keys]);
  }
  return found;
}
