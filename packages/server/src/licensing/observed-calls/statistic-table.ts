/** A statistic: the number of events in an hour or a day (rules 10.9). */
import { integerColumn, Table, textColumn } from '../../storage/contract/table.ts';

/** The period that a statistic covers. */
export type StatisticStep = 'hour' | 'day';

/** The productId of statistics about all products together. No product has this id. */
export const ALL_PRODUCTS = '';

export interface Statistic {
  /** A product, or {@link ALL_PRODUCTS}. */
  readonly productId: string;
  readonly step: StatisticStep;
  /** The counted metric; see metrics.ts. */
  readonly metric: string;
  /** Start of the hour or day in UTC, as a timestamp. */
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
