/** Sets of licenses: the reads, locks and writes of the client endpoints for all calls that are decided together. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Dialect, listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { CHECKED_FIELDS, type CheckedLicense, endsAt, USED_FIELDS, type UsedLicense } from './license.ts';
import { BEGUN_FIELDS, licenseTable, USE_FIELDS } from './license-table.ts';

/** The due sessions of a license that hold a slot. */
const DUE =
  'from activation a where a.license_key = l.license_key and a.session_due is not null and a.session_due <= $2';

// One statement, so that a session cannot end between the two reads and still be counted. It costs an index look-up for
// any number of live sessions, and none for licenses without sessions.
const listLicensesByKey = statement('license.list_by_keys', (dialect) => selectByKeys(dialect));

// Separate, because the cache of a single writer alone needs the two times: with PostgreSQL they would cost each
// /verify two more columns and two more subqueries.
const listLicensesUntilLapseByKey = statement('license.list_by_keys_until_lapse', (dialect) =>
  selectByKeys(
    dialect,
    `, case when l.sessions_held > 0 then
        (select min(a.session_deadline) ${DUE} and a.session_deadline > $2)
      end as "nextDeadline",
      case when l.sessions_held > 0 then
        (select min(a.session_due) from activation a where a.license_key = l.license_key
           and a.session_due is not null and a.session_due > $2)
      end as "nextDue"`,
  ),
);

function selectByKeys(dialect: Dialect, moreColumns = ''): string {
  return `select ${licenseTable.select('l', CHECKED_FIELDS)},
      case when l.sessions_held > 0 then (select count(*) ${DUE} and a.session_deadline <= $2) else 0 end as "lapsed"
      ${moreColumns}
    from license l where l.license_key ${dialect.among('$1')}`;
}

/**
 * Declares a lock of licenses by their keys; it holds until the transaction ends. Every lock takes the licenses in the
 * order of their keys, so that two transactions that share licenses cannot deadlock.
 *
 * @param name of its statement, before `_by_keys`
 * @param columns the select list; `l` is the table
 */
export function lockByKeys(name: string, columns: string) {
  const lock = statement(
    `${name}_by_keys`,
    (dialect) =>
      `select ${columns} from license l where l.license_key ${dialect.among('$1')}
       order by l.license_key ${dialect.forUpdate}`,
  );
  return (tx: Tx, licenseKeys: readonly string[]): Promise<StoredRow[]> => tx.all<StoredRow>(lock, listOf(licenseKeys));
}

const lockUsed = lockByKeys('license.lock', licenseTable.select('l', USED_FIELDS));

const begin = recorded(licenseTable.update('license.begin', ['licenseKey'], BEGUN_FIELDS));
const updateUse = recorded(licenseTable.update('license.update_use', ['licenseKey'], USE_FIELDS));

/** A license at a given time, and the time until which that state holds without a write. */
export interface LicenseUntilLapse {
  readonly license: CheckedLicense;
  /** Before this time none of its floating sessions lapses; null when none is live. */
  readonly nextLapse: string | null;
}

/** A license with the number of sessions whose slot is free since they lapsed. */
type CountedRow = StoredRow & { readonly lapsed: number; sessionsHeld: number };

/** The licenses with these keys at a given time, unlocked. `sessionsHeld` counts live sessions only. */
export async function listLicensesOf(sql: Sql, licenseKeys: readonly string[], now: string): Promise<CheckedLicense[]> {
  const rows = await sql.all<CountedRow>(listLicensesByKey, listOf(licenseKeys), now);
  return rows.map(licenseFrom);
}

/** As {@link listLicensesOf}, with the times until which a cache may keep them. */
export async function listLicensesUntilLapse(
  sql: Sql,
  licenseKeys: readonly string[],
  now: string,
): Promise<LicenseUntilLapse[]> {
  type Row = CountedRow & { readonly nextDeadline: string | null; readonly nextDue: string | null };
  const rows = await sql.all<Row>(listLicensesUntilLapseByKey, listOf(licenseKeys), now);
  return rows.map((row) => {
    const { nextDeadline, nextDue } = row;
    const nextLapse = nextDeadline === null || (nextDue !== null && nextDue < nextDeadline) ? nextDue : nextDeadline;
    return { license: licenseFrom(row), nextLapse };
  });
}

function licenseFrom(row: CountedRow): CheckedLicense {
  row.sessionsHeld -= row.lapsed;
  return licenseTable.restore<CheckedLicense>(row);
}

/** The licenses with these keys, locked until the transaction ends. */
export async function lockLicenses(tx: Tx, licenseKeys: readonly string[]): Promise<UsedLicense[]> {
  return (await lockUsed(tx, licenseKeys)).map((row) => licenseTable.restore<UsedLicense>(row));
}

/** Writes the usage of locked licenses: counts, attempts, countries, threat level. */
export async function updateLicensesUse(tx: RecordedTx, licenses: readonly UsedLicense[]): Promise<void> {
  await tx.run(updateUse, licenseTable.rows(licenses, ['licenseKey', ...USE_FIELDS]));
}

/** Writes the usage and the ends of locked licenses whose time begins. */
export async function beginLicenses(tx: RecordedTx, licenses: readonly UsedLicense[]): Promise<void> {
  const records = licenses.map((license) => ({ ...license, endsAt: endsAt(license) }));
  await tx.run(begin, licenseTable.rows(records, ['licenseKey', ...BEGUN_FIELDS]));
}
