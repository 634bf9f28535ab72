/** SQL of notices: the licenses that expire, the notices recorded about them, and how far the search has come. */

import { USED_FIELDS, type UsedLicense } from '../../licensing/licenses/license.ts';
import { licenseTable } from '../../licensing/licenses/license-table.ts';
import { untouched } from '../../platform/jobs/due-store.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { type ExpiryPosition, type ExpiryRange, isBefore, type NoticedEnd } from './notice.ts';

/** Licenses in the order of an end, along the index that begins with `agreed`. */
const listAlong = (name: string, column: string, agreed: Readonly<Record<string, string>> = {}) =>
  new NamedStatement(
    `license.list_reaching_${name}`,
    ['expiresAt', 'licenseKey', 'until', 'limit'],
    (dialect) =>
      `select ${column} as "expiresAt", l.license_key as "licenseKey" from license l ${indexScan(dialect, {
        agreed,
        cursor: { [column]: ':expiresAt', 'l.license_key': ':licenseKey' },
        last: { [column]: ':until' },
        filter: `and ${column} is not null`,
        limit: ':limit',
        isRising: true,
      })}`,
  );

/**
 * The lists of the two status marks. A license gets another mark a few minutes after its end
 * (licensing/licenses/tidying-store.ts).
 */
const listMarked = (name: string, column: string) =>
  (['active', 'expired'] as const).map((mark) =>
    listAlong(`${name}_${mark}`, column, { 'l.status_mark': `'${mark}'` }),
  );

const LISTS: Readonly<Record<NoticedEnd, readonly ReturnType<typeof listAlong>[]>> = {
  expiresAt: listMarked('expiry', 'l.expires_at'),
  endsAt: listMarked('end', 'l.ends_at'),
  updatesUntil: [listAlong('end_of_updates', 'l.updates_until')],
};

// One license at a time, for engines where a statement locks rows of one license only.
const lock = statement(
  'license.lock_untouched',
  (dialect) => `select ${licenseTable.select('l', USED_FIELDS)} from license l where l.license_key = $1
    ${untouched(dialect)}`,
);

/** A recorded notice. */
export interface StoredNotice {
  readonly licenseKey: string;
  readonly kind: string;
  readonly expiresAt: string;
  readonly recordedAt: string;
}

const noticeTable = new Table<StoredNotice>('expiry_notice', {
  licenseKey: textColumn('license_key'),
  kind: textColumn('kind'),
  expiresAt: textColumn('expires_at'),
  recordedAt: textColumn('recorded_at'),
});
const insert = noticeTable.insert('expiry_notice.insert', {
  conflict:
    'on conflict (license_key, kind, expires_at) do nothing returning license_key as "licenseKey", kind as "kind"',
});

/** The place that the search for licenses of one kind has reached. */
export interface StoredPosition extends ExpiryPosition {
  readonly kind: string;
}

const positionTable = new Table<StoredPosition>('expiry_notice_position', {
  kind: textColumn('kind'),
  expiresAt: textColumn('expires_at'),
  licenseKey: textColumn('license_key'),
});
const listPositions = statement(
  'expiry_notice_position.list',
  `select ${positionTable.select('p')} from expiry_notice_position p`,
);
const save = positionTable.insert('expiry_notice_position.save', {
  conflict: 'on conflict (kind) do update set expires_at = excluded.expires_at, license_key = excluded.license_key',
});
const forget = statement(
  'expiry_notice_position.delete',
  (dialect) => `delete from expiry_notice_position where kind ${dialect.among('$1')}`,
);

/** The licenses in a range, in the order of the end; those with a status mark if the end decides the status. */
export async function listReaching(
  sql: Sql,
  end: NoticedEnd,
  { from, until }: ExpiryRange,
  limit: number,
): Promise<readonly ExpiryPosition[]> {
  const values = { ...from, until, limit };
  const found: ExpiryPosition[] = [];
  for (const list of LISTS[end]) found.push(...(await list.all<ExpiryPosition>(sql, values)));
  return found.toSorted((one, other) => (isBefore(one, other) ? -1 : 1)).slice(0, limit);
}

/**
 * Locks licenses until the transaction ends. Leaves out those that another transaction has locked, because waiting for
 * them would delay the calls that wait for the others.
 */
export async function lockUntouched(tx: Tx, licenseKeys: readonly string[]): Promise<readonly UsedLicense[]> {
  // Sent together, and run in this order.
  const rows = await Promise.all(licenseKeys.map((key) => tx.all<StoredRow>(lock, key)));
  return rows.flat().map((row) => licenseTable.restore<UsedLicense>(row));
}

/** Adds the notices about licenses that the caller has locked, and returns those that are new. */
export function insertNotices(
  tx: Tx,
  notices: readonly StoredNotice[],
): Promise<readonly Pick<StoredNotice, 'licenseKey' | 'kind'>[]> {
  return tx.all(insert, noticeTable.rows(notices, noticeTable.fields));
}

/** The place that each kind has reached; a kind that was never searched for has none. */
export function listSearchPositions(sql: Sql): Promise<readonly StoredPosition[]> {
  return sql.all<StoredPosition>(listPositions);
}

/** Stores the places that kinds have reached. */
export async function saveSearchPositions(tx: Tx, positions: readonly StoredPosition[]): Promise<void> {
  await tx.run(save, positionTable.rows(positions, positionTable.fields));
}

/** Forgets the places of kinds that nobody wants any more. */
export async function forgetSearchPositions(tx: Tx, kinds: readonly string[]): Promise<void> {
  await tx.run(forget, listOf(kinds));
}
