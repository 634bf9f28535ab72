/**
 * Licenses of sales that name a line, a quantity or a subscription. Other sales have no rows here: their license has
 * the purchaseId.
 */
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { OPERATOR } from './store.ts';

/** A license of a sale. The licenses of one line are its units. */
export interface SoldUnit {
  readonly licenseKey: string;
  /** The license of unit 1. */
  readonly firstKey: string;
  /** From 1 within its line. */
  readonly unit: number;
  /** Units that the license stands for: its limits were multiplied by this. */
  readonly quantity: number;
  readonly productId: string;
  readonly purchaseId: string | null;
  /** Null for a sale without lines. */
  readonly lineId: string | null;
  readonly subscriptionId: string | null;
}

/** The table of {@link SoldUnit}. */
export const soldUnitTable = new Table<SoldUnit>('sold_unit', {
  licenseKey: textColumn('license_key'),
  firstKey: textColumn('first_key'),
  unit: integerColumn('unit'),
  quantity: integerColumn('quantity'),
  productId: textColumn('product_id'),
  purchaseId: textColumn('purchase_id'),
  lineId: textColumn('line_id'),
  subscriptionId: textColumn('subscription_id'),
});

const insert = soldUnitTable.insert('sold_unit.insert');

/** All units of the lines whose first unit `f` meets a condition, if `$1` is the present owner of its product. */
const unitsOf = (condition: string) => `select ${soldUnitTable.select('u')}
  from sold_unit f left join product p on p.product_id = f.product_id
    join sold_unit u on u.first_key = f.first_key
  where f.unit = 1 and ${condition} and coalesce(p.creator_id, '${OPERATOR}') = $1
  order by u.first_key, u.unit`;

const listOfLine = statement('sold_unit.list_of_line', unitsOf('f.purchase_id = $2 and f.line_id = $3'));

const listOfPurchase = statement('sold_unit.list_of_purchase', unitsOf('f.purchase_id = $2'));

const listOfSubscription = statement('sold_unit.list_of_subscription', unitsOf('f.subscription_id = $2'));

const listBeside = statement(
  'sold_unit.list_beside',
  `select ${soldUnitTable.select('u')} from sold_unit o join sold_unit u on u.first_key = o.first_key
   where o.license_key = $1 order by u.unit`,
);

const listByKeys = statement(
  'sold_unit.list_by_keys',
  (dialect) => `select ${soldUnitTable.select('u')} from sold_unit u where u.license_key ${dialect.among('$1')}`,
);

const listByFirsts = statement(
  'sold_unit.list_by_firsts',
  (dialect) => `select ${soldUnitTable.select('u')} from sold_unit u where u.first_key ${dialect.among('$1')}`,
);

const setSubscription = statement(
  'sold_unit.set_subscription',
  'update sold_unit set subscription_id = $2 where first_key = $1',
);

const setQuantities = statement(
  'sold_unit.set_quantities',
  (dialect) => `update sold_unit set quantity = $2 where license_key ${dialect.among('$1')}`,
);

/** Stores the units of a sale. */
export async function insertSoldUnits(tx: Tx, units: readonly SoldUnit[]): Promise<void> {
  await tx.run(insert, soldUnitTable.rows(units, soldUnitTable.fields));
}

const restored = (rows: readonly StoredRow[]) => rows.map((row) => soldUnitTable.restore(row));

/**
 * The units of a line of a purchase, in their order.
 *
 * @param creatorId null for the operator
 */
export async function listUnitsOfLine(
  sql: Sql,
  creatorId: string | null,
  { purchaseId, lineId }: { readonly purchaseId: string; readonly lineId: string },
): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listOfLine, creatorId ?? OPERATOR, purchaseId, lineId));
}

/**
 * The units of all lines of a purchase, line by line.
 *
 * @param creatorId null for the operator
 */
export async function listUnitsOfPurchase(
  sql: Sql,
  creatorId: string | null,
  purchaseId: string,
): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listOfPurchase, creatorId ?? OPERATOR, purchaseId));
}

/**
 * The units that were bought with a subscription, line by line.
 *
 * @param creatorId null for the operator
 */
export async function listUnitsOfSubscription(
  sql: Sql,
  creatorId: string | null,
  subscriptionId: string,
): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listOfSubscription, creatorId ?? OPERATOR, subscriptionId));
}

/** All units of the line that a license belongs to; empty for a license of a sale without rows here. */
export async function listUnitsBeside(sql: Sql, licenseKey: string): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listBeside, licenseKey));
}

/** The units of these licenses, in any order. */
export async function listUnitsOf(sql: Sql, licenseKeys: readonly string[]): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listByKeys, listOf(licenseKeys)));
}

/** All units of the lines whose unit 1 is one of these licenses, in any order. */
export async function listUnitsOfFirsts(sql: Sql, firstKeys: readonly string[]): Promise<readonly SoldUnit[]> {
  return restored(await sql.all<StoredRow>(listByFirsts, listOf(firstKeys)));
}

/** Ties the units of a line to the subscription that pays for them. */
export async function tieToSubscription(tx: Tx, firstKey: string, subscriptionId: string): Promise<void> {
  await tx.run(setSubscription, firstKey, subscriptionId);
}

/** Stores the number of units that some licenses stand for from now on. */
export async function setQuantitiesOf(tx: Tx, licenseKeys: readonly string[], quantity: number): Promise<void> {
  await tx.run(setQuantities, listOf(licenseKeys), quantity);
}
