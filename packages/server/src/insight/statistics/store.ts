/** Reads statistics. */
import type { Statistic, StatisticStep } from '../../licensing/observed-calls/statistic-table.ts';
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';

const list = statement(
  'statistic.list',
  (dialect) => `select s.metric as "metric", s.at as "at", sum(s.value) as "value" from statistic s
    where s.product_id ${dialect.among('$1')} and s.step = $2 and s.metric ${dialect.among('$3')}
      and s.at >= $4 and s.at < $5
    group by s.metric, s.at order by s.metric, s.at`,
);

const listByProduct = statement(
  'statistic.list_by_product',
  (dialect) => `select s.product_id as "productId", s.metric as "metric", s.at as "at", s.value as "value"
    from statistic s
    where s.product_id ${dialect.among('$1')} and s.step = $2 and s.metric ${dialect.among('$3')}
      and s.at >= $4 and s.at < $5`,
);

/** A query for statistics. The number of rows read is bounded by the query: products × metrics × points. */
export interface StatisticQuery {
  /** Products, or `['']` for all products together. */
  readonly productIds: readonly string[];
  readonly step: StatisticStep;
  readonly metrics: readonly string[];
  /** Start as a timestamp, inclusive. */
  readonly from: string;
  /** End as a timestamp, exclusive. */
  readonly to: string;
}

/** The value of one metric in one hour or day, over all products of the query. */
export type StatisticPoint = Pick<Statistic, 'metric' | 'at' | 'value'>;

/** The non-zero points, added up over the products, ordered by metric and time. */
export function listStatistics(sql: Sql, query: StatisticQuery): Promise<readonly StatisticPoint[]> {
  const { productIds, step, metrics, from, to } = query;
  return sql.all<StatisticPoint>(list, listOf(productIds), step, listOf(metrics), from, to);
}

/** The non-zero points of each product, in no order. */
export function listStatisticsByProduct(
  sql: Sql,
  query: StatisticQuery,
): Promise<readonly (StatisticPoint & Pick<Statistic, 'productId'>)[]> {
  const { productIds, step, metrics, from, to } = query;
  return sql.all(listByProduct, listOf(productIds), step, listOf(metrics), from, to);
}
