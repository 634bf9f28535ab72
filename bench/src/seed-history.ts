/** Fills the tables of events, refusals, violations and statistics with the rows of a history. */
import { systemClock } from '@latchkey/server/ground/base/clock.ts';
import { countLicenses } from '@latchkey/server/insight/statistics/counting-licenses.ts';
import { type KeptRefusal, keptRefusalColumns } from '@latchkey/server/licensing/observed-calls/kept-refusal.ts';
import { statisticTable } from '@latchkey/server/licensing/observed-calls/statistic-table.ts';
import { insertViolations } from '@latchkey/server/licensing/violations/violation-store.ts';
import { insertEvents } from '@latchkey/server/platform/events/store.ts';
import type { Storage } from '@latchkey/server/storage/contract/storage.ts';
import { Table, textColumn } from '@latchkey/server/storage/contract/table.ts';
import { unrecorded } from '../../packages/server/test/support/unrecorded.ts';
import { type Filling, filling } from './filling.ts';
import type { History } from './history.ts';

// The service adds to existing rows of both tables; here all rows are new.
const refusalTable = new Table<KeptRefusal & { readonly productId: string }>('kept_refusal', {
  ...keptRefusalColumns,
  productId: textColumn('product_id'),
});
const insertRefusals = refusalTable.insert('bench.insert_refusals');
const insertStatistics = statisticTable.insert('bench.insert_statistics');

/** The rows of a history, table by table. */
export function historyOf(history: History): readonly Filling[] {
  return [
    filling(
      history.events,
      (number) => history.event(number),
      (tx, events) => insertEvents(unrecorded(tx), events),
    ),
    filling(
      history.refusals,
      (number) => history.refusal(number),
      (tx, rows) => tx.run(insertRefusals, refusalTable.rows(rows, refusalTable.fields)),
    ),
    filling(
      history.violations,
      (number) => history.violation(number),
      (tx, violations) => insertViolations(unrecorded(tx), violations),
    ),
    filling(
      history.statistics,
      (number) => history.statistic(number),
      (tx, rows) => tx.run(insertStatistics, statisticTable.rows(rows, statisticTable.fields)),
    ),
  ];
}

/** Counts that the service's own jobs would have made in the meantime. */
export async function settleHistory(storage: Storage): Promise<void> {
  await countLicenses(storage, systemClock, { pauseMs: 0 });
}
