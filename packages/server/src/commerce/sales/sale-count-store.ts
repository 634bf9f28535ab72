/** Stored figures of sales: a row for each product, UTC day, variant and figure that is not 0. */
import { untouched } from '../../platform/jobs/due-store.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, Table, textColumn } from '../../storage/contract/table.ts';
import type { SaleMetric } from './sale-metric.ts';

/** The value of a figure of a variant on a day. */
export interface SaleCount {
  readonly productId: string;
  /** The first moment of the UTC day, as a timestamp. */
  readonly day: string;
  readonly variant: string;
  readonly metric: SaleMetric;
  readonly value: number;
}

const countTable = new Table<SaleCount>('sale_count', {
  productId: textColumn('product_id'),
  day: textColumn('day'),
  variant: textColumn('variant'),
  metric: textColumn('metric'),
  value: integerColumn('value'),
});

const add = countTable.insert('sale_count.add', {
  conflict: 'on conflict (product_id, day, variant, metric) do update set value = sale_count.value + excluded.value',
});

const deleteOld = statement(
  'sale_count.delete_old',
  (dialect) => `delete from sale_count where (product_id, day, variant, metric) in
     (select s.product_id, s.day, s.variant, s.metric from sale_count s where s.day || '' <= $1
      order by s.day || '' limit $2 ${untouched(dialect)})`,
);

/** The days of a question, and its products. */
export interface CountedDays {
  /** Each once; null for all products. */
  readonly productIds: readonly string[] | null;
  /** The first day, as a timestamp. */
  readonly from: string;
  /** The day after the last one. */
  readonly to: string;
}

/** Runs a statement about the counts of some days. */
type RunByDays = <Row>(sql: Sql, days: CountedDays, ...values: string[]) => Promise<readonly Row[]>;

/**
 * Declares a statement about the counts `s` of all products, and the same about some.
 *
 * @param last the last parameter, which holds the products; `$1` and `$2` bound the days
 * @param text gets the condition of the rows
 */
function statementByDays(name: string, last: `$${number}`, text: (condition: string) => string): RunByDays {
  const ofAll = statement(name, text("s.day || '' >= $1 and s.day || '' < $2"));
  const ofProducts = statement(`${name}_of_products`, (dialect) =>
    text(`s.product_id ${dialect.among(last)} and s.day >= $1 and s.day < $2`),
  );
  return (sql, { productIds, from, to }, ...values) =>
    productIds === null
      ? sql.all(ofAll, from, to, ...values)
      : sql.all(ofProducts, from, to, ...values, listOf(productIds));
}

const sumByVariant = statementByDays(
  'sale_count.sum_by_variant',
  '$4',
  (condition) => `select s.product_id as "productId", s.variant as "variant", s.metric as "metric",
      sum(case when s.day >= $3 then s.value else 0 end) as "value",
      sum(case when s.day < $3 then s.value else 0 end) as "before"
    from sale_count s where ${condition} group by s.product_id, s.variant, s.metric`,
);

const sumByDay = statementByDays(
  'sale_count.sum_by_day',
  '$3',
  (condition) => `select s.metric as "metric", s.day as "day", sum(s.value) as "value"
    from sale_count s where ${condition} group by s.metric, s.day`,
);

const listByDay = statementByDays(
  'sale_count.list_by_day',
  '$3',
  (condition) => `select ${countTable.select('s')} from sale_count s where ${condition}`,
);

const FIRST_DAY = "substr(s.day, 1, 8) || '01T00:00:00.000Z'";

const listByMonth = statementByDays(
  'sale_count.list_by_month',
  '$3',
  (condition) => `select s.product_id as "productId", s.variant as "variant", s.metric as "metric",
      ${FIRST_DAY} as "day", sum(s.value) as "value"
    from sale_count s where ${condition} group by s.product_id, s.variant, s.metric, ${FIRST_DAY}`,
);

/**
 * Adds to the stored values; a missing one starts at the added value.
 *
 * @param counts in the order of their keys and without duplicate keys, so that concurrent transactions cannot deadlock
 */
export async function addSaleCounts(tx: Tx, counts: readonly SaleCount[]): Promise<void> {
  if (counts.length > 0) await tx.run(add, countTable.rows(counts, countTable.fields));
}

/** The sums of a figure of a variant over two periods. */
export type SaleSum = Omit<SaleCount, 'day'> & { readonly before: number };

/** The sums of each variant: from `middle` on as `value`, and of the days before it as `before`. */
export function sumSalesByVariant(sql: Sql, days: CountedDays, middle: string): Promise<readonly SaleSum[]> {
  return sumByVariant<SaleSum>(sql, days, middle);
}

/** The sums of each day over all variants. */
export function sumSalesByDay(
  sql: Sql,
  days: CountedDays,
): Promise<readonly Pick<SaleCount, 'metric' | 'day' | 'value'>[]> {
  return sumByDay(sql, days);
}

/** The counts of each day, or the sums of each month with its first day, in no order. */
export function listSales(sql: Sql, days: CountedDays, by: 'day' | 'month'): Promise<readonly SaleCount[]> {
  return by === 'month' ? listByMonth<SaleCount>(sql, days) : listByDay<SaleCount>(sql, days);
}

/** Deletes the counts of days that began before a moment, at most `most`; returns their number. */
export function deleteOldSales(tx: Tx, before: string, most: number): Promise<number> {
  return tx.run(deleteOld, before, most);
}
