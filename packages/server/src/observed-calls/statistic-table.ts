/** A statistic: how often something happened in an hour or a day (rules 10.9). */
import { integerColumn, Table, textColumn } from '../storage/table.ts';

/** How long the time is that a statistic counts. */
export type StatisticStep = 'hour' | 'day';

/** The productId of statistics about all products together. No product is called so. */
export const ALL_PRODUCTS = '';

export interface Statistic {
  /** A product, or {@link ALL_PRODUCTS}. */
  readonly productId: string;
  readonly step: StatisticStep;
  /** What was counted: see metrics.ts. */
  readonly metric: string;
  /** When the hour or the day begins, UTC: a timestamp. */
  readonly at: string;
  readonly value: number;
}

/** The table of statistics, described once. */
export const statisticTable = new Table<Statistic>('statistic', {
  productId: textColumn('product_id'),
  step: textColumn('step'),
  metric: textColumn('metric'),
  at: textColumn('at'),
  value: integerColumn('value'),
});
