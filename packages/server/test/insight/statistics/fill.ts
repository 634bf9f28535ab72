/** Figures of tests, inserted as the service would have counted them. */
import { type Storage, statement, tableOf } from '../../../src/storage/contract/storage.ts';

/** A count: product (`''` for all), step, metric, beginning of the step, value. */
export type Figure = readonly [productId: string, step: 'hour' | 'day', metric: string, at: string, value: number];

const insert = statement(
  'test_statistic.insert',
  (dialect) => `insert into statistic (product_id, step, metric, at, value)
    select r.product_id, r.step, r.metric, r.at, r.value from ${dialect.table('$1', {
      product_id: 'text',
      step: 'text',
      metric: 'text',
      at: 'text',
      value: 'integer',
    })} r where true on conflict do nothing`,
);

/** Adds figures. Those that a running service has counted already stay. */
export async function fill(storage: Storage, figures: readonly Figure[]): Promise<void> {
  await storage.transaction((tx) => tx.run(insert, tableOf(figures)));
}
