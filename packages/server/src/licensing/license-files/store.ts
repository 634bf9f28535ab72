/** Stored license files: one row per machine and purpose. */

import { type RecentCounts, recentCountsIn } from '../../ground/base/recent-counts.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { parseStored } from '../../storage/contract/stored-json.ts';
import { flagColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Purpose } from './license-file.ts';

/** The record of the last file of a machine. The file itself is not stored. */
export interface LicenseFile {
  readonly licenseKey: string;
  /** {@link ANY_MACHINE} when any machine may use the file. */
  readonly fingerprint: string;
  readonly purpose: Purpose;
  /** `lf_` and an ordered UUID. */
  readonly fileId: string;
  readonly hostname: string | null;
  readonly issuedAt: string;
  /** Null: never. */
  readonly expiresAt: string | null;
  /** The requester, in the form of event actors. */
  readonly issuedBy: string;
  /** Whether the license's count of fetched files includes it. */
  readonly counted: boolean;
  /** The machine's fetches within the last hour; null without any. */
  readonly fetchedLately: RecentCounts | null;
}

/** Replaces the fingerprint of a file that any machine may use. */
export const ANY_MACHINE = '';

const fileTable = new Table<LicenseFile>('license_file', {
  licenseKey: textColumn('license_key'),
  fingerprint: textColumn('fingerprint'),
  purpose: textColumn('purpose'),
  fileId: textColumn('file_id'),
  hostname: textColumn('hostname'),
  issuedAt: textColumn('issued_at'),
  expiresAt: textColumn('expires_at'),
  issuedBy: textColumn('issued_by'),
  counted: flagColumn('counted'),
  fetchedLately: {
    name: 'fetched_lately',
    type: 'text',
    store: (counts) => (counts === null ? null : JSON.stringify(counts)),
    restore: (stored) => (stored === null ? null : recentCountsIn(parseStored(stored))),
  },
});

const SELECTED = fileTable.select('f');
const RENEWED = fileTable
  .columns(['fileId', 'hostname', 'issuedAt', 'expiresAt', 'issuedBy', 'counted', 'fetchedLately'])
  .map((column) => `${column} = excluded.${column}`);

const save = fileTable.insert('license_file.save', {
  conflict: `on conflict (license_key, fingerprint, purpose) do update set ${RENEWED.join(', ')}`,
});

const find = statement(
  'license_file.find',
  `select ${SELECTED} from license_file f where f.license_key = $1 and f.fingerprint = $2 and f.purpose = $3`,
);

// The select locks its rows, so that PostgreSQL re-reads rows that the tidying has changed meanwhile.
const release = writeStatement(
  'license_file.release',
  (dialect) => `update license_file set counted = 0 where (license_key, fingerprint, purpose) in
     (select f.license_key, f.fingerprint, f.purpose from license_file f
      where f.license_key = $1 and f.counted = 1 and f.expires_at <= $2
      order by f.expires_at limit $3 ${dialect.forUpdate})
   returning fingerprint`,
);

const count = writeStatement(
  'license_file_count.add',
  `insert into license_file_count (license_key, machines) values ($1, $2)
   on conflict (license_key) do update set machines = license_file_count.machines + excluded.machines
   returning machines`,
);

const findNextExpiry = statement(
  'license_file.find_next_expiry',
  `select min(f.expires_at) as "expiresAt" from license_file f
   where f.license_key = $1 and f.counted = 1 and f.expires_at > $2`,
);

const list = new NamedStatement(
  'license_file.list',
  ['licenseKey', 'fileId', 'limit'],
  (dialect) =>
    `select ${SELECTED} from license_file f ${indexScan(dialect, {
      agreed: { 'f.license_key': ':licenseKey' },
      cursor: { 'f.file_id': ':fileId' },
      limit: ':limit',
    })}`,
);

const listRising = statement(
  'license_file.list_rising',
  `select ${SELECTED} from license_file f where f.license_key = $1 and f.file_id > $2 order by f.file_id limit $3`,
);

// The index holds only the files that customers made themselves.
const listByCustomer = statement(
  'license_file.list_by_customer',
  `select f.fingerprint as "fingerprint", f.issued_at as "issuedAt" from license_file f
   where f.license_key = $1 and f.issued_by = 'customer' and f.issued_at > $2 and f.purpose = 'offline'
   order by f.issued_at desc limit $3`,
);

const MACHINE = ['licenseKey', 'fingerprint'] as const;
const HELD_FIELDS = ['fingerprint', 'issuedAt', 'expiresAt'] as const;

/** An offline file that has not expired. */
export type HeldFile = Pick<LicenseFile, (typeof HELD_FIELDS)[number]>;

const listHeld = statement(
  'license_file.list_held',
  (dialect) => `select ${fileTable.select('f', HELD_FIELDS)} from ${fileTable.unfold(dialect, '$1', MACHINE)} r
    join license_file f on f.license_key = r.license_key and f.fingerprint = r.fingerprint and f.purpose = 'offline'
    where f.expires_at is null or f.expires_at > $2`,
);

const rename = fileTable.update('license_file.rename', ['licenseKey', 'fingerprint', 'purpose'], ['hostname']);

/** Stores a file in place of the machine's previous one for the same purpose. */
export async function saveFile(tx: Tx, file: LicenseFile): Promise<void> {
  await tx.run(save, fileTable.rows([file], fileTable.fields));
}

/** The record of the last file of a machine. */
export async function findFile(
  sql: Sql,
  licenseKey: string,
  fingerprint: string,
  purpose: Purpose,
): Promise<LicenseFile | undefined> {
  const row = await sql.first<StoredRow>(find, licenseKey, fingerprint, purpose);
  return row && fileTable.restore<LicenseFile>(row);
}

/** Expired files removed from the count at a time. */
const RELEASED_AT_ONCE = 100;

/**
 * Removes expired files from the count of a locked license, longest expired first, a bounded number at a time.
 *
 * @returns the number of machines in the count afterwards
 */
export async function countFetchedFiles(tx: Tx, licenseKey: string, now: string): Promise<number> {
  const released = await tx.all(release, licenseKey, now, RELEASED_AT_ONCE);
  return addToCount(tx, licenseKey, -released.length);
}

/** Changes the count of a locked license; returns the new count. */
export async function addToCount(tx: Tx, licenseKey: string, machines: number): Promise<number> {
  const row = await tx.first<{ readonly machines: number }>(count, licenseKey, machines);
  if (row === undefined) throw new Error('a count that was written is gone');
  return row.machines;
}

/** The next expiry among the counted files of a license; null when none is counted. */
export async function findNextFileExpiry(sql: Sql, licenseKey: string, now: string): Promise<string | null> {
  return (await sql.first<{ readonly expiresAt: string | null }>(findNextExpiry, licenseKey, now))?.expiresAt ?? null;
}

/** Sorts after every file id. */
const AFTER_ALL = '~';

/** The files of a license, newest first; `before` is the last id of the previous page. */
export async function listFiles(
  sql: Sql,
  licenseKey: string,
  before: string | null,
  limit: number,
): Promise<readonly LicenseFile[]> {
  const rows = await list.all<StoredRow>(sql, { licenseKey, fileId: before ?? AFTER_ALL, limit });
  return rows.map((row) => fileTable.restore<LicenseFile>(row));
}

/** The files of a license after an id, oldest first. */
export async function listFilesAfter(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<readonly LicenseFile[]> {
  const rows = await sql.all<StoredRow>(listRising, licenseKey, after, limit);
  return rows.map((row) => fileTable.restore<LicenseFile>(row));
}

/** The devices for which the customer of a license made an offline file after a moment, the latest first. */
export function listFilesOfCustomer(
  sql: Sql,
  licenseKey: string,
  since: string,
  limit: number,
): Promise<readonly Pick<LicenseFile, 'fingerprint' | 'issuedAt'>[]> {
  return sql.all(listByCustomer, licenseKey, since, limit);
}

/** The offline files of those machines that have not expired, one of a machine. */
export async function listHeldOfflineFiles(
  sql: Sql,
  machines: readonly Pick<LicenseFile, 'licenseKey' | 'fingerprint'>[],
  now: string,
): Promise<readonly HeldFile[]> {
  if (machines.length === 0) return [];
  const rows = await sql.all<StoredRow>(listHeld, fileTable.rows(machines, MACHINE), now);
  return rows.map((row) => fileTable.restore<HeldFile>(row));
}

/** Replaces the machine names stored with some files. */
export async function renameFileMachines(
  tx: Tx,
  files: readonly Pick<LicenseFile, 'licenseKey' | 'fingerprint' | 'purpose' | 'hostname'>[],
): Promise<void> {
  if (files.length > 0)
    await tx.run(rename, fileTable.rows(files, ['licenseKey', 'fingerprint', 'purpose', 'hostname']));
}
