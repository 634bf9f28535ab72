/** Stored data for predicting the replies of the client endpoints. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { hasFreeSlot, type License } from '../licenses/license.ts';
import { listLicensesOf } from '../licenses/license-set-store.ts';
import { LICENSE_FIELDS } from '../licenses/license-table.ts';
import { IN_SCOPE, LICENSE_COLUMNS, licenseFrom } from '../licenses/store.ts';
import { type Activation, withoutLapsedSession } from '../machines/activation.ts';
import { activationTable } from '../machines/activation-store.ts';
import { foldUser } from '../machines/user.ts';
import { listMeterUsesOf } from '../meters/store.ts';
import { idleMachinesOf } from './idle-machines.ts';
import { type LicenseSnapshot, releasedSessions } from './predicted-refusal.ts';
import { type UserChanges, usersByLicense } from './user-changes.ts';

/** Maximum number of lapsed sessions counted in the first statement. */
const LAPSED_COUNTED = 100;

const MACHINE_FIELDS = activationTable.fields.filter((field) => field !== 'licenseKey');

// One statement, so that all data is from one moment: outside a transaction, each statement reads its own snapshot.
const find = statement(
  'license.find_snapshot',
  `select ${LICENSE_COLUMNS}, ${activationTable.select('a', MACHINE_FIELDS)},
      case when l.sessions_held > 0 then
        (select count(*) from (select 1 from activation d where d.license_key = l.license_key
           and d.session_due is not null and d.session_due <= $4 and d.session_deadline <= $4 limit $5) lapsed)
      else 0 end as "lapsed"
    from license l left join activation a on a.license_key = l.license_key and a.fingerprint = $3
    where l.license_key = $1 and ${IN_SCOPE}`,
);

/**
 * A license in scope and one of its machines at a given time. Lapsed sessions are subtracted, because the endpoints
 * release them before they decide. The cost does not depend on the number of machines and sessions.
 *
 * @param fingerprint of a machine, bound or not; '' when unknown
 * @param user of its call, as the app names them
 */
export async function findLicenseSnapshot(
  sql: Sql,
  licenseKey: string,
  scope: Scope,
  fingerprint: string,
  now: number,
  user?: string,
): Promise<LicenseSnapshot | undefined> {
  const at = toTimestamp(now);
  const row = await sql.first<StoredRow>(find, licenseKey, scope.creatorId, fingerprint, at, LAPSED_COUNTED);
  if (row === undefined) return undefined;
  const lapsed = row.lapsed as number;
  const machine = machineFrom(row, now);
  const license = releasedSessions(licenseFrom(partOf(row, LICENSE_FIELDS)), lapsed);
  if (lapsed < LAPSED_COUNTED || hasFreeSlot(license)) {
    const isFull = machine === undefined && !hasFreeSlot(license);
    const [idle] = isFull && license.terms.releaseIdleDays !== null ? await idleMachinesOf(sql, [license], 1, now) : [];
    return {
      license,
      machine,
      idle,
      users: await usersAt(sql, license, machine, user),
      uses: await usesOf(sql, license),
      now,
    };
  }
  // The limit was lowered by more than that and sessions have lapsed since, so all of them are counted.
  const [counted] = await listLicensesOf(sql, [licenseKey], at);
  const users = await usersAt(sql, license, machine, user);
  const whole = { ...license, sessionsHeld: counted?.sessionsHeld ?? 0 };
  return { license: whole, machine, idle: undefined, users, uses: await usesOf(sql, license), now };
}

/** The users that a call of the machine concerns; null where the license has no named users. */
async function usersAt(
  sql: Sql,
  { licenseKey, terms }: License,
  machine: Activation | undefined,
  user: string | undefined,
): Promise<UserChanges | null> {
  if (terms.maxUsers === null) return null;
  const names = new Set([user === undefined ? null : foldUser(user), machine?.userFolded ?? null]);
  const named = [...names].flatMap((userFolded) => (userFolded === null ? [] : [{ licenseKey, userFolded }]));
  return named.length === 0 ? null : (await usersByLicense(sql, named))(licenseKey);
}

async function usesOf(sql: Sql, { licenseKey, variantTerms }: License): Promise<LicenseSnapshot['uses']> {
  return variantTerms.meters === null ? [] : listMeterUsesOf(sql, licenseKey);
}

function machineFrom(row: StoredRow, now: number): Activation | undefined {
  if (row.fingerprint === null) return undefined;
  return withoutLapsedSession(activationTable.restore(partOf(row, ['licenseKey', ...MACHINE_FIELDS])), now);
}

function partOf(row: StoredRow, fields: readonly (keyof (License & Activation))[]): StoredRow {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}
