/** Stored trials. They are started under the lock of their product. */
import type { License } from '../../licensing/licenses/license.ts';
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Trial } from './trial.ts';

export const trialTable = new Table<Trial>('trial', {
  productId: textColumn('product_id'),
  machineHash: textColumn('machine_hash'),
  licenseKey: textColumn('license_key'),
  startedAt: textColumn('started_at'),
  paidAt: textColumn('paid_at'),
});

const find = statement(
  'trial.find',
  `select ${trialTable.select('t')} from trial t where t.product_id = $1 and t.machine_hash = $2`,
);

const insert = trialTable.insert('trial.insert');

// A machine of the trial that is bound to a sold license of the product, too. The index has machines some minutes after
// they were bound.
const listUnpaid = statement(
  'trial.list_unpaid',
  // Scalars, because PostgreSQL turns `exists` into a join that may read every machine.
  `select ${trialTable.select('t')}, case when (
      select 1 from activation m where m.license_key = t.license_key and (
        select 1 from activation a join license l on l.license_key = a.license_key
        where a.fingerprint = m.fingerprint and a.unindexed_since is null and a.license_key <> m.license_key
          and a.first_seen >= t.started_at and l.product_id = t.product_id and l.purchase_id is not null
        limit 1
      ) is not null limit 1
    ) is null then 0 else 1 end as "isPaid"
    from trial t
    where t.paid_at is null and (t.started_at, t.product_id, t.machine_hash) > ($1, $2, $3)
    order by t.started_at, t.product_id, t.machine_hash limit $4`,
);

const markPaid = writeStatement(
  'trial.mark_paid',
  `update trial set paid_at = $3 where product_id = $1 and machine_hash = $2 and paid_at is null
    returning product_id as "productId",
      (select l.variant from license l where l.license_key = trial.license_key) as "variant"`,
);

/** The place of a trial in the order of their beginnings. */
type Beginning = Pick<Trial, 'startedAt' | 'productId' | 'machineHash'>;

/** The place before all trials that begin at a time. */
export function beginningAt(startedAt: string): Beginning {
  return { startedAt, productId: '', machineHash: '' };
}

/** Trials that are not known to have become paid, after a place in their order, and those of them that have. */
export async function listUnpaidTrials(
  sql: Sql,
  { startedAt, productId, machineHash }: Beginning,
  limit: number,
): Promise<{ readonly trials: readonly Trial[]; readonly paid: readonly Trial[] }> {
  const rows = await sql.all<StoredRow & { isPaid: number }>(listUnpaid, startedAt, productId, machineHash, limit);
  const found = rows.map(({ isPaid, ...row }) => ({ trial: trialTable.restore(row), isPaid: isPaid === 1 }));
  return {
    trials: found.map(({ trial }) => trial),
    paid: found.flatMap(({ trial, isPaid }) => (isPaid ? [trial] : [])),
  };
}

/** The product and variant of a trial. */
export type TriedVariant = Pick<License, 'productId' | 'variant'>;

/** Marks trials as paid. @returns each that was not marked before */
export async function markPaidTrials(
  tx: Tx,
  trials: readonly Trial[],
  paidAt: string,
): Promise<readonly TriedVariant[]> {
  const marked: TriedVariant[] = [];
  for (const { productId, machineHash } of trials) {
    const row = await tx.first<TriedVariant>(markPaid, productId, machineHash, paidAt);
    if (row !== undefined) marked.push(row);
  }
  return marked;
}

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
