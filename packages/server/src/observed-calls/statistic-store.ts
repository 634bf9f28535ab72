/** Adds to the statistics that are stored. */
import type { Tx } from '../storage/storage.ts';
import { type Statistic, statisticTable } from './statistic-table.ts';

const add = statisticTable.insert('statistic.add', {
  conflict: 'on conflict (product_id, step, metric, at) do update set value = statistic.value + excluded.value',
});

/**
 * Adds to what is stored; what is not there yet begins with what is added.
 *
 * @param statistics in the order of their keys and each key once, so that nodes that write at once never wait for each
 *   other in a circle
 */
export async function addStatistics(tx: Tx, statistics: readonly Statistic[]): Promise<void> {
  await tx.run(add, statisticTable.rows(statistics, statisticTable.fields));
}
