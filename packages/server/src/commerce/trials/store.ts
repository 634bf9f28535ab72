/** Stored trials. They are started under the lock of their product. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Trial } from './trial.ts';

export const trialTable = new Table<Trial>('trial', {
  productId: textColumn('product_id'),
  machineHash: textColumn('machine_hash'),
  licenseKey: textColumn('license_key'),
  startedAt: textColumn('started_at'),
});

const find = statement(
  'trial.find',
  `select ${trialTable.select('t')} from trial t where t.product_id = $1 and t.machine_hash = $2`,
);

const insert = trialTable.insert('trial.insert');

/** The trial of a machine for a product. */
export async function findTrial(
  sql: Sql,
  { productId, machineHash }: Pick<Trial, 'productId' | 'machineHash'>,
): Promise<Trial | undefined> {
  const row = await sql.first<StoredRow>(find, productId, machineHash);
  return row && trialTable.restore(row);
}

/** Adds trials. */
export async function insertTrials(tx: Tx, trials: readonly Trial[]): Promise<void> {
  await tx.run(insert, trialTable.rows(trials, trialTable.fields));
}
