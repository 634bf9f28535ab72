/** The stored totals of licenses, and the scan of licenses that produces them. */
import { licenseTable } from '../../licensing/licenses/license-table.ts';
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { elementsOf, isFiniteNumber, isRecord, isText } from '../../storage/contract/stored-json.ts';
import { integerColumn, jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { COUNTED_FIELDS, type CountedLicense, type FullPool, type LicenseTotal } from './license-total.ts';

/** A total from one scan. */
export interface StoredTotal extends LicenseTotal {
  /** A product, or all together. The row for all is written last, so a scan that has it is complete. */
  readonly productId: string;
  readonly scan: number;
  /** The time for which statuses and sessions were counted, as a timestamp. */
  readonly asOf: string;
}

function isFullPool(value: unknown): value is FullPool {
  return isRecord(value) && isText(value.licenseKey) && isFiniteNumber(value.limit);
}

const totalTable = new Table<StoredTotal>('license_total', {
  productId: textColumn('product_id'),
  scan: integerColumn('walk'),
  active: integerColumn('active'),
  revoked: integerColumn('revoked'),
  expired: integerColumn('expired'),
  liveSessions: integerColumn('live_sessions'),
  fullestPools: jsonColumn('fullest_pools', (stored) => elementsOf(stored, isFullPool)),
  asOf: textColumn('as_of'),
});
const COLUMNS = totalTable.select('t');

const findNewest = statement(
  'license_total.find_newest',
  `select ${COLUMNS} from license_total t where t.product_id = '${ALL_PRODUCTS}' order by t.walk desc limit 1`,
);
const findLastScan = statement(
  'license_total.find_last_scan',
  'select t.walk as "scan" from license_total t where t.walk >= 0 order by t.walk desc limit 1',
);
const listOfScan = statement(
  'license_total.list_of_scan',
  (dialect) => `select ${COLUMNS} from license_total t where t.product_id ${dialect.among('$1')} and t.walk = $2`,
);
const insert = totalTable.insert('license_total.insert');
const deleteOld = statement(
  'license_total.delete_old',
  `delete from license_total where (product_id, walk) in
     (select t.product_id, t.walk from license_total t where t.walk < $1 order by t.walk limit $2)`,
);

// In order of creation, which never changes and mostly matches the physical order, so that a scan reads each page of
// the table once.
const listFrom = statement(
  'license.list_from',
  `select ${licenseTable.select('l', COUNTED_FIELDS)} from license l
   where (l.created_at, l.license_key) > ($1, $2) order by l.created_at, l.license_key limit $3`,
);

/** The total of all products from the last complete scan; undefined before the first one. */
export async function findNewestTotal(sql: Sql): Promise<StoredTotal | undefined> {
  const row = await sql.first<StoredRow>(findNewest);
  return row && totalTable.restore(row);
}

/** The totals of some products from one scan; products without licenses have none. */
export async function listTotals(sql: Sql, productIds: readonly string[], scan: number): Promise<StoredTotal[]> {
  const rows = await sql.all<StoredRow>(listOfScan, listOf(productIds), scan);
  return rows.map((row) => totalTable.restore(row));
}

/** The number of the last scan that has written anything, complete or not; 0 before the first. */
export async function findLastScanNumber(sql: Sql): Promise<number> {
  return (await sql.first<{ scan: number }>(findLastScan))?.scan ?? 0;
}

export async function insertTotals(tx: Tx, totals: readonly StoredTotal[]): Promise<void> {
  await tx.run(insert, totalTable.rows(totals, totalTable.fields));
}

/** Deletes totals of earlier scans; returns the number deleted. */
export function deleteOldTotals(tx: Tx, scan: number, most: number): Promise<number> {
  return tx.run(deleteOld, scan, most);
}

/**
 * The licenses after `last` in order of creation; the first ones if it is undefined. `sessionsHeld` includes sessions
 * that lapsed but were not released.
 */
export async function listLicensesFrom(
  sql: Sql,
  last: Pick<CountedLicense, 'createdAt' | 'licenseKey'> | undefined,
  limit: number,
): Promise<CountedLicense[]> {
  const rows = await sql.all<StoredRow>(listFrom, last?.createdAt ?? '', last?.licenseKey ?? '', limit);
  return rows.map((row) => licenseTable.restore<CountedLicense>(row));
}
