/** Variants as they are stored. They are written under the lock of their product. */
import type { Scope } from '../endpoint/caller.ts';
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import type { Variant } from './variant.ts';

/** A row as it is stored: the price is decimal text, `active` is 0 or 1. */
interface VariantRow extends Omit<Variant, 'price' | 'active'> {
  readonly price: string | null;
  readonly active: number;
}

const COLUMNS = `v.variant_id as "variantId", v.product_id as "productId", v.name as "name",
  v.license_type as "licenseType", v.max_machines as "maxMachines", v.max_concurrent as "maxConcurrent",
  v.default_trial_days as "defaultTrialDays", v.duration_days as "durationDays", v.price as "price",
  v.active as "active"`;

const findByName = statement(
  'variant.find_by_name',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name = $2`,
);

const findInScope = statement(
  'variant.find',
  `select ${COLUMNS} from variant v join product p on p.product_id = v.product_id
   where v.variant_id = $1 and (p.creator_id = $2 or $2 is null)`,
);

const listAll = statement(
  'variant.list_all',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name > $2 order by v.name limit $3`,
);

const listActive = statement(
  'variant.list_active',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name > $2 and v.active = 1 order by v.name limit $3`,
);

/** Replaces only within a product: a row of another one that bears the same identifier stays as it is. */
const save = statement(
  'variant.save',
  `insert into variant (variant_id, product_id, name, license_type, max_machines, max_concurrent, default_trial_days,
     duration_days, price, active)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (variant_id) do update set license_type = excluded.license_type, max_machines = excluded.max_machines,
     max_concurrent = excluded.max_concurrent, default_trial_days = excluded.default_trial_days,
     duration_days = excluded.duration_days, price = excluded.price, active = excluded.active
   where variant.product_id = excluded.product_id`,
);

function variantFrom(row: VariantRow): Variant {
  return { ...row, price: row.price === null ? null : Number(row.price), active: row.active === 1 };
}

/** The variant of a product with this name, whether it is active or not. */
export async function findVariant(sql: Sql, productId: string, name: string): Promise<Variant | undefined> {
  const row = await sql.first<VariantRow>(findByName, productId, name);
  return row && variantFrom(row);
}

/** The variant with this id, if the scope reaches its product. */
export async function findVariantById(sql: Sql, variantId: string, scope: Scope): Promise<Variant | undefined> {
  const row = await sql.first<VariantRow>(findInScope, variantId, scope.creatorId);
  return row && variantFrom(row);
}

/** A product's variants by name, `limit` at most, from the one after the name `after`; '' is before every name. */
export async function listVariants(
  sql: Sql,
  productId: string,
  isInactiveIncluded: boolean,
  after: string,
  limit: number,
): Promise<Variant[]> {
  const rows = await sql.all<VariantRow>(isInactiveIncluded ? listAll : listActive, productId, after, limit);
  return rows.map(variantFrom);
}

/** Adds a variant, or replaces the one it is; false, and nothing written, when another product has its variantId. */
export async function saveVariant(tx: Tx, variant: Variant): Promise<boolean> {
  const written = await tx.run(
    save,
    variant.variantId,
    variant.productId,
    variant.name,
    variant.licenseType,
    variant.maxMachines,
    variant.maxConcurrent,
    variant.defaultTrialDays,
    variant.durationDays,
    variant.price === null ? null : String(variant.price),
    variant.active ? 1 : 0,
  );
  return written === 1;
}
