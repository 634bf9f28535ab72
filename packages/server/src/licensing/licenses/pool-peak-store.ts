/** Stored peaks of pools: the most live sessions of a floating license on each UTC day. */
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, Table, textColumn } from '../../storage/contract/table.ts';

/** The most sessions of a license that were live at once on a day. */
export interface PoolPeak {
  readonly licenseKey: string;
  /** The first moment of the UTC day, as a timestamp. */
  readonly day: string;
  readonly peak: number;
}

const peakTable = new Table<PoolPeak>('pool_peak', {
  licenseKey: textColumn('license_key'),
  day: textColumn('day'),
  peak: integerColumn('peak'),
});

const raise = peakTable.insert('pool_peak.raise', {
  conflict: 'on conflict (license_key, day) do update set peak = excluded.peak where excluded.peak > pool_peak.peak',
});

// A range, so that both engines take the key and not the rows of the day.
const listSince = statement(
  'pool_peak.list_since',
  (dialect) => `select ${peakTable.select('p')} from pool_peak p
    where p.license_key ${dialect.among('$1')} and p.day >= $2`,
);

const findHighest = statement(
  'pool_peak.find_highest',
  'select max(p.peak) as "peak" from pool_peak p where p.license_key = $1 and p.day >= $2',
);

/**
 * Stores peaks that are higher than the stored ones.
 *
 * @param peaks in the order of their keys, each once, so that concurrent transactions cannot deadlock
 */
export async function raisePeaks(tx: Tx, peaks: readonly PoolPeak[]): Promise<void> {
  await tx.run(raise, peakTable.rows(peaks, peakTable.fields));
}

/** The stored peaks of some licenses since a day. */
export function listPeaksSince(sql: Sql, licenseKeys: readonly string[], day: string): Promise<readonly PoolPeak[]> {
  return sql.all(listSince, listOf(licenseKeys), day);
}

/** The highest peak of a license since a day; 0 without one. */
export async function findHighestPeak(sql: Sql, licenseKey: string, since: string): Promise<number> {
  return (await sql.first<{ readonly peak: number | null }>(findHighest, licenseKey, since))?.peak ?? 0;
}
