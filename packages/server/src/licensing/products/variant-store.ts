/** Stored variants. They are written under the lock of their product. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import {
  decimalColumn,
  flagColumn,
  integerColumn,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import { termsColumn, variantTermsFrom } from './terms.ts';
import type { Variant } from './variant.ts';

export const variantTable = new Table<Variant>('variant', {
  variantId: textColumn('variant_id'),
  productId: textColumn('product_id'),
  name: textColumn('name'),
  licenseType: textColumn('license_type'),
  maxMachines: integerColumn('max_machines'),
  maxConcurrent: integerColumn('max_concurrent'),
  defaultTrialDays: integerColumn('default_trial_days'),
  durationDays: integerColumn('duration_days'),
  price: decimalColumn('price'),
  active: flagColumn('active'),
  terms: termsColumn('terms', variantTermsFrom),
});

const COLUMNS = variantTable.select('v');
/** The assignments that replace a variant: all columns except its key. */
const REPLACED = variantTable
  .columns(variantTable.fields.filter((field) => !['variantId', 'productId', 'name'].includes(field)))
  .map((column) => `${column} = excluded.${column}`);

const findByName = statement(
  'variant.find_by_name',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name = $2`,
);

// A product's id has at most 255 characters, so at most that many variants share one variantId.
const listByIdInScope = statement(
  'variant.list_by_id',
  `select ${COLUMNS} from variant v join product p on p.product_id = v.product_id
   where v.variant_id = $1 and (p.creator_id = $2 or $2 is null) order by v.product_id limit $3`,
);

const listAll = statement(
  'variant.list_all',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name > $2 order by v.name limit $3`,
);

const listActive = statement(
  'variant.list_active',
  `select ${COLUMNS} from variant v where v.product_id = $1 and v.name > $2 and v.active = 1 order by v.name limit $3`,
);

const save = recorded(
  variantTable.insert('variant.save', {
    conflict: `on conflict (product_id, name) do update set ${REPLACED.join(', ')}`,
  }),
);

/** The variant of a product with this name, active or not. */
export async function findVariant(sql: Sql, productId: string, name: string): Promise<Variant | undefined> {
  const row = await sql.first<StoredRow>(findByName, productId, name);
  return row && variantTable.restore(row);
}

/**
 * The variants with this id whose products are in scope, by product, at most `limit`. Several are possible, because
 * both a product's id and a variant's name may contain hyphens.
 */
export async function listVariantsById(
  sql: Sql,
  variantId: string,
  scope: Scope,
  limit: number,
): Promise<readonly Variant[]> {
  const rows = await sql.all<StoredRow>(listByIdInScope, variantId, scope.creatorId, limit);
  return rows.map((row) => variantTable.restore(row));
}

/** A product's variants by name after the name `after`, at most `limit`; '' is before every name. */
export async function listVariants(
  sql: Sql,
  productId: string,
  isInactiveIncluded: boolean,
  after: string,
  limit: number,
): Promise<Variant[]> {
  const rows = await sql.all<StoredRow>(isInactiveIncluded ? listAll : listActive, productId, after, limit);
  return rows.map((row) => variantTable.restore(row));
}

/** Adds a variant, or replaces the variant of its product with the same name. */
export async function saveVariant(tx: RecordedTx, variant: Variant): Promise<void> {
  await tx.run(save, variantTable.rows([variant], variantTable.fields));
}
