/** License files as they are stored: one row for each machine and purpose. */
import { walkAlong } from '../endpoint/page.ts';
import { type RecentCounts, recentCountsIn } from '../recent-counts.ts';
import { type Sql, statement, type Tx, writeStatement } from '../storage/storage.ts';
import { parseStored } from '../storage/stored-json.ts';
import { flagColumn, type StoredRow, Table, textColumn } from '../storage/table.ts';
import type { Purpose } from './license-file.ts';

/** What is kept of the file that a machine got last. The file itself is not kept. */
export interface LicenseFile {
  readonly licenseKey: string;
  /** {@link ANY_MACHINE} where the file is for any machine. */
  readonly fingerprint: string;
  readonly purpose: Purpose;
  /** `lf_` and an ordered UUID. */
  readonly fileId: string;
  readonly hostname: string | null;
  readonly issuedAt: string;
  /** Null: never. */
  readonly expiresAt: string | null;
  /** Who asked for it, as events name an actor. */
  readonly issuedBy: string;
  /** Whether it is in the count of the license's fetched files. */
  readonly counted: boolean;
  /** When the machine fetched files within the last hour; null where it fetched none. */
  readonly fetchedLately: RecentCounts | null;
}

/** What stands for the fingerprint of a file that any machine may use. */
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

// Locked as they are selected, so that PostgreSQL looks again at rows that tidying has changed meanwhile.
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

const list = statement(
  'license_file.list',
  (dialect) =>
    `select ${SELECTED} from license_file f ${walkAlong(dialect, {
      agreed: { 'f.license_key': '$1' },
      cursor: { 'f.file_id': '$2' },
      limit: '$3',
    })}`,
);

const listRising = statement(
  'license_file.list_rising',
  `select ${SELECTED} from license_file f where f.license_key = $1 and f.file_id > $2 order by f.file_id limit $3`,
);

const rename = fileTable.update('license_file.rename', ['licenseKey', 'fingerprint', 'purpose'], ['hostname']);

/** Keeps a file in place of the one that its machine had before for the same purpose. */
export async function saveFile(tx: Tx, file: LicenseFile): Promise<void> {
  await tx.run(save, fileTable.rows([file], fileTable.fields));
}

/** What is kept of the file of a machine. */
export async function findFile(
  sql: Sql,
  licenseKey: string,
  fingerprint: string,
  purpose: Purpose,
): Promise<LicenseFile | undefined> {
  const row = await sql.first<StoredRow>(find, licenseKey, fingerprint, purpose);
  return row && fileTable.restore<LicenseFile>(row);
}

/** Files that are taken out of the count at a time. */
const RELEASED_AT_ONCE = 100;

/**
 * Takes files that are over out of the count of a locked license, the longest over first, so many and no more.
 *
 * @returns how many machines are in the count now
 */
export async function countFetchedFiles(tx: Tx, licenseKey: string, now: string): Promise<number> {
  const released = await tx.all(release, licenseKey, now, RELEASED_AT_ONCE);
  return addToCount(tx, licenseKey, -released.length);
}

/** Moves the count of a locked license; answers what it is then. */
export async function addToCount(tx: Tx, licenseKey: string, machines: number): Promise<number> {
  const row = await tx.first<{ readonly machines: number }>(count, licenseKey, machines);
  if (row === undefined) throw new Error('a count that was written is gone');
  return row.machines;
}

/** When the next of the counted files of a license is over; null where none is in the count. */
export async function findNextFileExpiry(sql: Sql, licenseKey: string, now: string): Promise<string | null> {
  return (await sql.first<{ readonly expiresAt: string | null }>(findNextExpiry, licenseKey, now))?.expiresAt ?? null;
}

/** Sorts after every id of a file. */
const AFTER_ALL = '~';

/** The files of a license, the newest first; `before` is the id of the last one on the page before. */
export async function listFiles(
  sql: Sql,
  licenseKey: string,
  before: string | null,
  limit: number,
): Promise<readonly LicenseFile[]> {
  const rows = await sql.all<StoredRow>(list, licenseKey, before ?? AFTER_ALL, limit);
  return rows.map((row) => fileTable.restore<LicenseFile>(row));
}

/** The files of a license after an id, the oldest first. */
export async function listFilesAfter(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<readonly LicenseFile[]> {
  const rows = await sql.all<StoredRow>(listRising, licenseKey, after, limit);
  return rows.map((row) => fileTable.restore<LicenseFile>(row));
}

/** Puts other names of machines in place of those that are kept with some files. */
export async function renameFileMachines(
  tx: Tx,
  files: readonly Pick<LicenseFile, 'licenseKey' | 'fingerprint' | 'purpose' | 'hostname'>[],
): Promise<void> {
  if (files.length > 0)
    await tx.run(rename, fileTable.rows(files, ['licenseKey', 'fingerprint', 'purpose', 'hostname']));
}
