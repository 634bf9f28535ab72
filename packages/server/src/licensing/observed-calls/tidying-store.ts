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

/** Deletes statistics of a step that began before a moment; returns the number of rows. */
export const deleteOldStatistics =
  (step: StatisticStep) =>
  (tx: Tx, before: string, most: number): Promise<number> =>
    tx.run(deleteOld[step], before, most);
