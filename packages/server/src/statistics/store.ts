/** Statistics as they are stored. */
import { listOf, type Sql, statement, type Tx } from '../storage/storage.ts';
import { type Statistic, type StatisticStep, statisticTable } from './statistic-table.ts';

const add = statisticTable.insert('statistic.add', {
  conflict: 'on conflict (product_id, step, metric, at) do update set value = statistic.value + excluded.value',
});

const list = statement(
  'statistic.list',
  (dialect) => `select s.metric as "metric", s.at as "at", sum(s.value) as "value" from statistic s
    where s.product_id ${dialect.among('$1')} and s.step = $2 and s.metric ${dialect.among('$3')}
      and s.at >= $4 and s.at < $5
    group by s.metric, s.at order by s.metric, s.at`,
);

/**
 * Adds to what is stored; what is not there yet begins with what is added.
 *
 * @param statistics in the order of their keys and each key once, so that nodes that write at once never wait for each
 *   other in a circle
 */
export async function addStatistics(tx: Tx, statistics: readonly Statistic[]): Promise<void> {
  await tx.run(add, statisticTable.rows(statistics, statisticTable.fields));
}

/** Which statistics to read. The number of rows read is bounded by what is asked for: products × metrics × points. */
export interface StatisticQuery {
  /** Products whose values are added up, or `['']` for all there are. */
  readonly productIds: readonly string[];
  readonly step: StatisticStep;
  readonly metrics: readonly string[];
  /** From when, included: a timestamp. */
  readonly from: string;
  /** Until when, not included: a timestamp. */
  readonly to: string;
}

/** A value of one metric at one hour or day, for all products of the query together. */
export type StatisticPoint = Pick<Statistic, 'metric' | 'at' | 'value'>;

/** The points that are not zero, ordered by metric and time. */
export function listStatistics(sql: Sql, query: StatisticQuery): Promise<readonly StatisticPoint[]> {
  const { productIds, step, metrics, from, to } = query;
  return sql.all<StatisticPoint>(list, listOf(productIds), step, listOf(metrics), from, to);
}
