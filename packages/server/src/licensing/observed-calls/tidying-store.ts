/** SQL that removes old refusals and statistics, and those that a wrong clock dated. */
import { countDue, dueRows, untouched } from '../../platform/jobs/due-store.ts';
import { type Dialect, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StatisticStep } from './statistic-table.ts';

const futureRefusals = dueRows('kept_refusal.delete_future', {
  table: 'kept_refusal',
  key: ['license_key', 'refusal_id'],
  isDue: (moment) => `d.first_at > ${moment}`,
  order: 'd.first_at desc',
  write: 'delete from kept_refusal',
});

// A license keeps its product for ever, and is never deleted.
const refusalsWithoutProduct = dueRows('kept_refusal.add_products', {
  table: 'kept_refusal',
  key: ['license_key', 'refusal_id'],
  isDue: () => "d.product_id is null and d.refusal_id > ''",
  hasMoment: false,
  order: 'd.refusal_id desc',
  write: `update kept_refusal set product_id = coalesce(
    (select l.product_id from license l where l.license_key = kept_refusal.license_key), '')`,
});

const deleteOf = (step: StatisticStep) => (dialect: Dialect) =>
  `delete from statistic where (product_id, step, metric, at) in
     (select s.product_id, s.step, s.metric, s.at from statistic s where s.step || '' = '${step}' and s.at || '' <= $1
      order by s.at || '' limit $2 ${untouched(dialect)})`;
const deleteOld = {
  hour: statement('statistic.delete_old_hours', deleteOf('hour')),
  day: statement('statistic.delete_old_days', deleteOf('day')),
};

/**
 * Deletes kept refusals that began after a moment; returns the number of rows. A clock that was ahead dated them, and
 * as the newest of their license they would keep out those of today.
 */
export function deleteFutureKeptRefusals(tx: Tx, after: string, most: number): Promise<number> {
  return countDue(tx, futureRefusals, after, most);
}

/**
 * Adds the product to refusals that a node of an earlier version wrote, the newest first; returns their number. Until
 * then the lists of a product lack them.
 */
export function addProductsOfRefusals(tx: Tx, _before: string, most: number): Promise<number> {
  return countDue(tx, refusalsWithoutProduct, null, most);
}

/** Deletes statistics of a step that began before a moment; returns the number of rows. */
export const deleteOldStatistics =
  (step: StatisticStep) =>
  (tx: Tx, before: string, most: number): Promise<number> =>
    tx.run(deleteOld[step], before, most);
