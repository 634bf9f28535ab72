/** An app whose observed calls are read back from the tables, and the calls that are sent to it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { KeptRefusal } from '../../../src/licensing/observed-calls/kept-refusal.ts';
import type { Statistic } from '../../../src/licensing/observed-calls/statistic-table.ts';
import { listRefusals } from '../../../src/licensing/observed-calls/store.ts';
import type { ObservedBounds } from '../../../src/licensing/observed-calls/write-observed.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Engine, freshDatabase } from '../../support/databases.ts';
import type { TestDatabase } from '../../support/test-database.ts';

/** Writes nothing before the end. */
export const WRITTEN_AT_THE_END: Partial<ObservedBounds> = { refusalIntervalMs: 2 ** 30, countIntervalMs: 2 ** 30 };

const listAllStatistics = statement(
  'test_statistic.list_all',
  `select product_id as "productId", step as "step", metric as "metric", at as "at", value as "value" from statistic
   order by product_id, step, metric, at`,
);
const countRefusals = statement('test_kept_refusal.count', 'select count(*) as "rows" from kept_refusal');

/** The observed calls, as stored. */
export class ObservedRows {
  readonly #storage: Storage;

  private constructor(storage: Storage) {
    this.#storage = storage;
  }

  static async of(test: TestContext, database: Database): Promise<ObservedRows> {
    const storage = await openStorage(database);
    test.after(() => storage.close());
    return new ObservedRows(storage);
  }

  /** The rows of a license, the newest first. */
  refusals(licenseKey: string): Promise<readonly KeptRefusal[]> {
    return this.#storage.read((sql) => listRefusals(sql, licenseKey, null, 1_000));
  }

  /** Number of rows of all licenses. */
  async countRefusals(): Promise<number> {
    return (await this.#storage.read((sql) => sql.first<{ rows: number }>(countRefusals)))!.rows;
  }

  statistics(): Promise<readonly Statistic[]> {
    return this.#storage.read((sql) => sql.all<Statistic>(listAllStatistics));
  }

  /** The sums of one product's metrics over all hours or days. */
  async totals(productId: string, step: Statistic['step'] = 'hour'): Promise<Readonly<Record<string, number>>> {
    const totals: Record<string, number> = {};
    for (const each of await this.statistics())
      if (each.productId === productId && each.step === step)
        totals[each.metric] = (totals[each.metric] ?? 0) + each.value;
    return totals;
  }
}

/** A database with the rows that a service has stored in it. */
export async function openRows(
  test: TestContext,
  engine: Engine,
): Promise<{ database: TestDatabase; rows: ObservedRows }> {
  const database = await freshDatabase(engine, test);
  return { database, rows: await ObservedRows.of(test, database.database) };
}

/** Runs a service on a database until `work` is done and its observed calls are written. */
export async function withApp<Result>(
  engine: Engine,
  database: TestDatabase,
  act: (app: TestApp) => Promise<Result>,
  bounds: Partial<ObservedBounds> = WRITTEN_AT_THE_END,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const app = await startApp(engine, environment, database, { memory: bounds });
  try {
    return await act(app);
  } finally {
    await app.stop();
  }
}

/** Fails unless a reply has this status. */
export async function answered(status: number, answer: Promise<{ readonly status: number }>): Promise<void> {
  assert.equal((await answer).status, status);
}
