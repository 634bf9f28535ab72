/** Which countries there are figures of. */
import { type Sql, statement, tableOf } from '../storage/storage.ts';

/** Steps from metric to metric, so that it costs a look-up for each country and not a row for each of its days. */
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
 * The metrics by day of these products that are a text followed by a country's code: two capital letters, as no event's
 * name goes on (`activations.reset`).
 *
 * @param productIds `''` alone stands for all products together
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
