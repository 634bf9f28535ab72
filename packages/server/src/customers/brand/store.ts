/** Stored brands. The logo and the links of products are read only where they are shown. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { flagColumn, jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { type Brand, type Logo, OPERATOR, type WholeBrand } from './brand.ts';
import { type ProductLinks, productLinksFrom } from './product-links.ts';

interface BrandRow extends Brand {
  readonly logo: string | null;
  readonly logoType: string | null;
  readonly productLinks: readonly ProductLinks[];
}

const brandTable = new Table<BrandRow>('brand', {
  creatorId: textColumn('creator_id'),
  name: textColumn('name'),
  supportAddress: textColumn('support_address'),
  supportUrl: textColumn('support_url'),
  accent: textColumn('accent'),
  logo: textColumn('logo'),
  logoType: textColumn('logo_type'),
  productLinks: jsonColumn('product_links', productLinksFrom),
  allowsNewKeys: flagColumn('allows_new_keys'),
  updatedAt: textColumn('updated_at'),
});

const SHOWN = `${brandTable.select('b', brandTable.except(['logo', 'logoType', 'productLinks']))},
  case when b.logo is null then 0 else 1 end as "hasLogo"`;

const find = statement('brand.find', `select ${SHOWN} from brand b where b.creator_id = $1`);

const findWhole = statement(
  'brand.find_whole',
  `select ${brandTable.select('b')} from brand b where b.creator_id = $1`,
);

const lock = statement(
  'brand.lock',
  (dialect) => `select ${brandTable.select('b')} from brand b where b.creator_id = $1 ${dialect.forUpdate}`,
);

const findLinks = statement(
  'brand.find_links',
  'select b.product_links as "productLinks" from brand b where b.creator_id = $1',
);

const findAllowance = statement(
  'brand.find_allowance',
  'select b.allows_new_keys as "allowsNewKeys" from brand b where b.creator_id = $1',
);

const insert = recorded(brandTable.insert('brand.insert', { conflict: 'on conflict (creator_id) do nothing' }));

const CHANGEABLE = brandTable.except(['creatorId']);
const update = recorded(brandTable.update('brand.update', ['creatorId'], CHANGEABLE));

/** A brand as pages show it. */
export interface ShownBrand extends Brand {
  readonly hasLogo: boolean;
}

/**
 * The brand that a shop shows: its own, else the operator's; null without either.
 *
 * @param creatorId null: the operator's pages
 */
export async function findBrand(sql: Sql, creatorId: string | null): Promise<ShownBrand | null> {
  for (const key of keysFor(creatorId)) {
    const row = await sql.first<StoredRow>(find, key);
    if (row !== undefined) return { ...brandTable.restore<Brand>(row), hasLogo: row.hasLogo === 1 };
  }
  return null;
}

/** The logo of the brand that {@link findBrand} finds; null without one. */
export async function findLogo(sql: Sql, creatorId: string | null): Promise<Logo | null> {
  for (const key of keysFor(creatorId)) {
    const row = await sql.first<StoredRow>(findWhole, key);
    if (row !== undefined) return wholeBrand(row).logo;
  }
  return null;
}

/** The links of products of the brand that {@link findBrand} finds; none without one. */
export async function findProductLinks(sql: Sql, creatorId: string | null): Promise<readonly ProductLinks[]> {
  for (const key of keysFor(creatorId)) {
    const row = await sql.first<StoredRow>(findLinks, key);
    if (row !== undefined) return brandTable.restore<Pick<BrandRow, 'productLinks'>>(row).productLinks;
  }
  return [];
}

/**
 * Whether the owner of a product lets customers give its licenses new keys. The operator's brand does not decide for a
 * creator without one.
 *
 * @param creatorId null: the operator
 */
export async function allowsNewKeys(sql: Sql, creatorId: string | null): Promise<boolean> {
  const row = await sql.first<StoredRow>(findAllowance, creatorId ?? OPERATOR);
  return row !== undefined && brandTable.restore<Pick<BrandRow, 'allowsNewKeys'>>(row).allowsNewKeys;
}

/** A brand by its key, without another in its place. */
export async function findOwnBrand(sql: Sql, key: string): Promise<WholeBrand | undefined> {
  const row = await sql.first<StoredRow>(findWhole, key);
  return row && wholeBrand(row);
}

/** A brand by its key, locked until the transaction ends. */
export async function lockBrand(tx: Tx, key: string): Promise<WholeBrand | undefined> {
  const row = await tx.first<StoredRow>(lock, key);
  return row && wholeBrand(row);
}

/** Adds a brand; returns false and adds nothing when there is one, also if another transaction has just made it. */
export async function insertBrand(tx: RecordedTx, brand: WholeBrand): Promise<boolean> {
  return (await tx.run(insert, brandTable.rows([rowOf(brand)], brandTable.fields))) === 1;
}

/** Writes the fields of a locked brand. */
export async function updateBrand(tx: RecordedTx, brand: WholeBrand): Promise<void> {
  await tx.run(update, brandTable.rows([rowOf(brand)], ['creatorId', ...CHANGEABLE]));
}

function keysFor(creatorId: string | null): readonly string[] {
  return creatorId === null || creatorId === OPERATOR ? [OPERATOR] : [creatorId, OPERATOR];
}

function rowOf({ logo, ...brand }: WholeBrand): BrandRow {
  return { ...brand, logo: logo?.data ?? null, logoType: logo?.type ?? null };
}

function wholeBrand(row: StoredRow): WholeBrand {
  const { logo, logoType, ...brand } = brandTable.restore(row);
  return { ...brand, logo: logo === null || logoType === null ? null : { type: logoType, data: logo } };
}
