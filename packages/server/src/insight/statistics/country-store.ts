/** Finds the countries with figures. */
import { type Sql, statement, tableOf } from '../../storage/contract/storage.ts';

/** Steps from metric to metric, so that it costs one look-up per country instead of one row per country and day. */
const listMetrics = statement(
  'statistic.list_metrics',
  (dialect) => `with recursive known(product_id, metric) as (
     select r.product_id, (select min(s.metric) from statistic s
       where s.product_id = r.product_id and s.step = 'day' and s.metric > $2 and s.metric < $3)
     from ${dialect.table('$1', { product_id: 'text' })} r
     union all
     select k.product_id, (select min(s.metric) from statistic s
       where s.product_id = k.product_id and s.step = 'day' and s.metric > k.metric and s.metric < $3)
     from known k where k.metric is not null)
   select distinct k.metric as "metric" from known k where k.metric is not null`,
);

/**
 * The daily metrics of these products that consist of a prefix and a country's code: two capital letters, which
 * distinguish them from event names such as `activations.reset`.
 *
 * @param productIds `['']` stands for all products together
 */
export async function listMetricsByCountry(
  sql: Sql,
  productIds: readonly string[],
  beginning: string,
): Promise<string[]> {
  // '[' follows 'Z'.
  const rows = await sql.all<{ metric: string }>(
    listMetrics,
    tableOf(productIds.map((productId) => [productId])),
    `${beginning}A`,
    `${beginning}[`,
  );
  return rows.map(({ metric }) => metric);
}
