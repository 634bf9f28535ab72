/** Adds to the stored statistics. */
import type { Tx } from '../../storage/contract/storage.ts';
import { type Statistic, statisticTable } from './statistic-table.ts';

const add = statisticTable.insert('statistic.add', {
  conflict: 'on conflict (product_id, step, metric, at) do update set value = statistic.value + excluded.value',
});

/**
 * Adds to the stored values; a missing one starts at the added value.
 *
 * @param statistics in key order and without duplicate keys, so that concurrent nodes cannot deadlock
 */
export async function addStatistics(tx: Tx, statistics: readonly Statistic[]): Promise<void> {
  await tx.run(add, statisticTable.rows(statistics, statisticTable.fields));
}
