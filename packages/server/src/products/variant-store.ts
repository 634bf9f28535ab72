/** Variants as they are stored. */
import { type Sql, statement } from '../storage/storage.ts';
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

function variantFrom(row: VariantRow): Variant {
  return { ...row, price: row.price === null ? null : Number(row.price), active: row.active === 1 };
}

/** The variant of a product with this name, whether it is active or not. */
export async function findVariant(sql: Sql, productId: string, name: string): Promise<Variant | undefined> {
  const row = await sql.first<VariantRow>(findByName, productId, name);
  return row && variantFrom(row);
}
