/** Stored releases: devices that customers freed and that count, by license. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { Table, textColumn } from '../../storage/contract/table.ts';

/** A device that its customer freed. */
export interface DeviceRelease {
  readonly licenseKey: string;
  readonly releasedAt: string;
  readonly fingerprint: string;
}

const releaseTable = new Table<DeviceRelease>('device_release', {
  licenseKey: textColumn('license_key'),
  releasedAt: textColumn('released_at'),
  fingerprint: textColumn('fingerprint'),
});

const insert = releaseTable.insert('device_release.insert');

const list = statement(
  'device_release.list',
  `select r.released_at as "releasedAt" from device_release r where r.license_key = $1 and r.released_at > $2 and r.released_at <= $3
   order by r.released_at desc limit $4`,
);

const forget = statement('device_release.forget', 'delete from device_release where license_key = $1');

/** Adds a release of a locked license. */
export async function insertRelease(tx: Tx, release: DeviceRelease): Promise<void> {
  await tx.run(insert, releaseTable.rows([release], releaseTable.fields));
}

/** The times of a license's releases between two moments, newest first. */
export async function listReleases(
  sql: Sql,
  licenseKey: string,
  { since, until }: { readonly since: string; readonly until: string },
  limit: number,
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly releasedAt: string }>(list, licenseKey, since, until, limit);
  return rows.map(({ releasedAt }) => releasedAt);
}

/** Removes the releases of a license; returns their number. */
export function forgetReleases(tx: Tx, licenseKey: string): Promise<number> {
  return tx.run(forget, licenseKey);
}
