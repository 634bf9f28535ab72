/** Reads statistics. */
import type { Statistic, StatisticStep } from '../observed-calls/statistic-table.ts';
import { listOf, type Sql, statement } from '../storage/storage.ts';

const list = statement(
  'statistic.list',
  (dialect) => `select s.metric as "metric", s.at as "at", sum(s.value) as "value" from statistic s
    where s.product_id ${dialect.among('$1')} and s.step = $2 and s.metric ${dialect.among('$3')}
      and s.at >= $4 and s.at < $5
    group by s.metric, s.at order by s.metric, s.at`,
);

/** A query for statistics. The number of rows read is bounded by the query: products × metrics × points. */
export interface StatisticQuery {
  /** Products whose values are added up, or `['']` for all products. */
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

/** The non-zero points, ordered by metric and time. */
export function listStatistics(sql: Sql, query: StatisticQuery): Promise<readonly StatisticPoint[]> {
  const { productIds, step, metrics, from, to } = query;
  return sql.all<StatisticPoint>(list, listOf(productIds), step, listOf(metrics), from, to);
}
