/**
 * Stored session pools: a row for each license that holds sessions, so that a board finds these licenses among all
 * others. The rows serve only as an index; the number of live sessions is always computed from the license's own
 * sessions.
 */
import { fallingBy, type IndexScan, mergeScans } from '../../platform/endpoint/merged-scans.ts';
import { indexScan } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { Table, textColumn } from '../../storage/contract/table.ts';

/** A license that holds sessions. */
export interface SessionPool {
  readonly licenseKey: string;
  readonly productId: string;
}

const poolTable = new Table<SessionPool>('session_pool', {
  licenseKey: textColumn('license_key'),
  productId: textColumn('product_id'),
});

const insert = poolTable.insert('session_pool.insert', { conflict: 'on conflict (license_key) do nothing' });

const remove = statement(
  'session_pool.delete',
  (dialect) => `delete from session_pool where license_key ${dialect.among('$1')}`,
);

const list = (name: string, agreed: Readonly<Record<string, string>>) =>
  statement(
    name,
    (dialect) => `select ${poolTable.select('s', ['licenseKey'])} from session_pool s
      ${indexScan(dialect, { agreed, cursor: { 's.license_key': '$1' }, limit: '$2' })}`,
  );
const listAll = list('session_pool.list', {});
const listOfProduct = list('session_pool.list_of_product', { 's.product_id': '$3' });

/** Adds pools that are not there yet. */
export async function insertSessionPools(tx: Tx, pools: readonly SessionPool[]): Promise<void> {
  await tx.run(insert, poolTable.rows(pools, poolTable.fields));
}

/** Removes the pools of licenses that no longer hold a session. */
export async function deleteSessionPools(tx: Tx, licenseKeys: readonly string[]): Promise<void> {
  await tx.run(remove, listOf(licenseKeys));
}

/**
 * The keys of licenses that hold sessions, including lapsed ones; highest key first.
 *
 * @param productIds each once; null lists pools of all products
 * @param after the key after which the list starts; '~' starts before all keys
 */
export async function listSessionPools(
  sql: Sql,
  productIds: readonly string[] | null,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  type Row = Pick<SessionPool, 'licenseKey'>;
  const scans = (productIds ?? [null]).map(
    (productId): IndexScan<Row> =>
      (from, last, most) =>
        productId === null
          ? from.all<Row>(listAll, last?.licenseKey ?? after, most)
          : from.all<Row>(listOfProduct, last?.licenseKey ?? after, most, productId),
  );
  return (await mergeScans(sql, scans, fallingBy('licenseKey'), limit)).map(({ licenseKey }) => licenseKey);
}
