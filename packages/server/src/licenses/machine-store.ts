/**
 * Licenses and their machines in sets: what the client endpoints load, lock and write, for all the calls that are
 * decided together. Each statement is one round trip however many calls there are.
 */
import { listOf, type Sql, statement, type Tx, tableOf } from '../storage/storage.ts';
import type { Activation } from './activation.ts';
import { CHECKED_FIELDS, type CheckedLicense, USED_FIELDS, type UsedLicense } from './license.ts';
import { licenseColumns, licenseFrom, type Stored } from './store.ts';

interface ActivationRow extends Omit<Activation, 'countries'> {
  readonly countries: string;
}

const ACTIVATION_COLUMNS = `a.license_key as "licenseKey", a.fingerprint as "fingerprint",
  a.activation_id as "activationId", a.hostname as "hostname", a.first_seen as "firstSeen", a.last_seen as "lastSeen",
  a.token_expiry as "tokenExpiry", a.session_started as "sessionStarted", a.session_deadline as "sessionDeadline",
  a.countries as "countries", a.last_country as "lastCountry"`;

// In one statement, so that no session ends between the license and its sessions and is counted though it was dead. Two
// look-ups in an index however many sessions live, and none for licenses without sessions.
const listLicensesByKey = statement(
  'machine.list_licenses',
  (words) => `select ${licenseColumns(CHECKED_FIELDS)},
      case when l.sessions_held > 0 then
        (select count(*) from activation a where a.license_key = l.license_key
           and a.session_deadline is not null and a.session_deadline <= $2)
      else 0 end as "lapsed",
      case when l.sessions_held > 0 then
        (select min(a.session_deadline) from activation a where a.license_key = l.license_key
           and a.session_deadline is not null and a.session_deadline > $2)
      end as "nextLapse"
    from license l where l.license_key ${words.among('$1')}`,
);

// Sorted, so that two batches that share licenses lock them in the same order.
const lockLicensesByKey = statement(
  'machine.lock_licenses',
  (words) => `select ${licenseColumns(USED_FIELDS)} from license l
    where l.license_key ${words.among('$1')}
    order by l.license_key ${words.forUpdate}`,
);

const listByMachine = statement(
  'machine.list',
  (words) => `select ${ACTIVATION_COLUMNS}
    from ${words.table('$1', { license_key: 'text', fingerprint: 'text' })} r
    join activation a on a.license_key = r.license_key and a.fingerprint = r.fingerprint`,
);

const releaseLapsed = statement(
  'machine.release_lapsed',
  (words) => `update activation set session_started = null, session_deadline = null
    where license_key ${words.among('$1')} and session_deadline is not null and session_deadline <= $2
    returning license_key as "licenseKey"`,
);

const updateUse = statement(
  'machine.update_use',
  (words) => `update license set machines_used = r.machines_used, sessions_held = r.sessions_held,
      attempts = r.attempts, countries_seen = r.countries_seen, threat_level = r.threat_level
    from ${words.table('$1', {
      license_key: 'text',
      machines_used: 'integer',
      sessions_held: 'integer',
      attempts: 'text',
      countries_seen: 'text',
      threat_level: 'integer',
    })} r where license.license_key = r.license_key`,
);

const insertActivations = statement(
  'machine.insert',
  (words) => `insert into activation (license_key, fingerprint, activation_id, hostname, first_seen, last_seen,
      token_expiry, session_started, session_deadline, countries, last_country)
    select r.license_key, r.fingerprint, r.activation_id, r.hostname, r.first_seen, r.last_seen,
      r.token_expiry, r.session_started, r.session_deadline, r.countries, r.last_country
    from ${words.table('$1', {
      license_key: 'text',
      fingerprint: 'text',
      activation_id: 'text',
      hostname: 'text',
      first_seen: 'text',
      last_seen: 'text',
      token_expiry: 'text',
      session_started: 'text',
      session_deadline: 'text',
      countries: 'text',
      last_country: 'text',
    })} r`,
);

const updateActivations = statement(
  'machine.update',
  (words) => `update activation set hostname = r.hostname, last_seen = r.last_seen, token_expiry = r.token_expiry,
      session_started = r.session_started, session_deadline = r.session_deadline, countries = r.countries,
      last_country = r.last_country
    from ${words.table('$1', {
      license_key: 'text',
      fingerprint: 'text',
      hostname: 'text',
      last_seen: 'text',
      token_expiry: 'text',
      session_started: 'text',
      session_deadline: 'text',
      countries: 'text',
      last_country: 'text',
    })} r where activation.license_key = r.license_key and activation.fingerprint = r.fingerprint`,
);

// What a sign of life changes, and no more: this is what machines send every few minutes.
const touchActivations = statement(
  'machine.touch',
  (words) => `update activation set last_seen = r.last_seen, token_expiry = r.token_expiry,
      session_started = r.session_started, session_deadline = r.session_deadline
    from ${words.table('$1', {
      license_key: 'text',
      fingerprint: 'text',
      last_seen: 'text',
      token_expiry: 'text',
      session_started: 'text',
      session_deadline: 'text',
    })} r where activation.license_key = r.license_key and activation.fingerprint = r.fingerprint`,
);

const deleteActivations = statement(
  'machine.delete',
  (words) => `delete from activation where (license_key, fingerprint) in
    (select r.license_key, r.fingerprint
     from ${words.table('$1', { license_key: 'text', fingerprint: 'text' })} r)`,
);

const listOfLicense = statement(
  'machine.list_of_license',
  `select ${ACTIVATION_COLUMNS} from activation a where a.license_key = $1 and a.fingerprint > $2
   order by a.fingerprint limit $3`,
);

const deleteOfLicense = statement('machine.delete_of_license', 'delete from activation where license_key = $1');

const endSessionsOfLicense = statement(
  'machine.end_sessions_of_license',
  `update activation set session_started = null, session_deadline = null
   where license_key = $1 and session_deadline is not null`,
);

function activationFrom(row: ActivationRow): Activation {
  return { ...row, countries: JSON.parse(row.countries) as string[] };
}

const machineTable = (machines: readonly Pick<Activation, 'licenseKey' | 'fingerprint'>[]) =>
  tableOf(machines.map((each) => [each.licenseKey, each.fingerprint]));

/** A license as it is at a moment, and until when it stays so unless something is written. */
export interface LicenseAtMoment {
  /** `sessionsHeld` counts live sessions only. */
  readonly license: CheckedLicense;
  /** When the next of its floating sessions dies, unless there is a sign of life before; null when none lives. */
  readonly nextLapse: string | null;
}

/** The licenses with these keys as they are at a moment, unlocked. */
export async function listLicensesOf(
  sql: Sql,
  licenseKeys: readonly string[],
  now: string,
): Promise<LicenseAtMoment[]> {
  type Row = Stored<CheckedLicense> & { readonly lapsed: number; readonly nextLapse: string | null };
  const rows = await sql.all<Row>(listLicensesByKey, listOf(licenseKeys), now);
  return rows.map(({ lapsed, nextLapse, ...row }) => {
    const unlockedProducts = JSON.parse(row.unlockedProducts) as string[];
    return { license: { ...row, unlockedProducts, sessionsHeld: row.sessionsHeld - lapsed }, nextLapse };
  });
}

/** The licenses with these keys, locked until the transaction ends. */
export async function lockLicenses(tx: Tx, licenseKeys: readonly string[]): Promise<UsedLicense[]> {
  const rows = await tx.all<Stored<UsedLicense>>(lockLicensesByKey, listOf(licenseKeys));
  return rows.map((row) => licenseFrom<UsedLicense>(row));
}

/** The activations of these machines. */
export async function listMachines(
  sql: Sql,
  machines: readonly Pick<Activation, 'licenseKey' | 'fingerprint'>[],
): Promise<Activation[]> {
  return (await sql.all<ActivationRow>(listByMachine, machineTable(machines))).map(activationFrom);
}

/**
 * Ends the floating sessions of locked licenses whose deadline has passed, so that what still holds a slot is live.
 * The cost follows the sessions that lapsed since the last call, not those that live.
 *
 * @returns how many were released, by license key
 */
export async function releaseLapsedSessions(
  tx: Tx,
  licenseKeys: readonly string[],
  now: string,
): Promise<Map<string, number>> {
  const released = new Map<string, number>();
  for (const { licenseKey } of await tx.all<{ licenseKey: string }>(releaseLapsed, listOf(licenseKeys), now))
    released.set(licenseKey, (released.get(licenseKey) ?? 0) + 1);
  return released;
}

/** Writes the use of locked licenses: kept counts, attempts, countries, threat level. */
export async function updateLicenseUse(tx: Tx, licenses: readonly UsedLicense[]): Promise<void> {
  await tx.run(
    updateUse,
    tableOf(
      licenses.map((each) => [
        each.licenseKey,
        each.machinesUsed,
        each.sessionsHeld,
        JSON.stringify(each.attempts),
        JSON.stringify(each.countriesSeen),
        each.threatLevel,
      ]),
    ),
  );
}

/** Adds activations of locked licenses. */
export async function insertMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(
    insertActivations,
    tableOf(
      activations.map((each) => [
        each.licenseKey,
        each.fingerprint,
        each.activationId,
        each.hostname,
        each.firstSeen,
        each.lastSeen,
        each.tokenExpiry,
        each.sessionStarted,
        each.sessionDeadline,
        JSON.stringify(each.countries),
        each.lastCountry,
      ]),
    ),
  );
}

/** Writes activations that were there before. */
export async function updateMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(
    updateActivations,
    tableOf(
      activations.map((each) => [
        each.licenseKey,
        each.fingerprint,
        each.hostname,
        each.lastSeen,
        each.tokenExpiry,
        each.sessionStarted,
        each.sessionDeadline,
        JSON.stringify(each.countries),
        each.lastCountry,
      ]),
    ),
  );
}

/** Writes signs of life: lastSeen, token expiry and session of activations whose other fields are as they were. */
export async function touchMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(
    touchActivations,
    tableOf(
      activations.map((each) => [
        each.licenseKey,
        each.fingerprint,
        each.lastSeen,
        each.tokenExpiry,
        each.sessionStarted,
        each.sessionDeadline,
      ]),
    ),
  );
}

/** Removes activations. */
export async function deleteMachines(
  tx: Tx,
  machines: readonly Pick<Activation, 'licenseKey' | 'fingerprint'>[],
): Promise<void> {
  await tx.run(deleteActivations, machineTable(machines));
}

/** A page of a license's activations, by fingerprint; `after` is the last one of the page before, or ''. */
export async function listActivations(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<Activation[]> {
  return (await sql.all<ActivationRow>(listOfLicense, licenseKey, after, limit)).map(activationFrom);
}

/** Removes every activation of a locked license. */
export async function deleteAllMachines(tx: Tx, licenseKey: string): Promise<void> {
  await tx.run(deleteOfLicense, licenseKey);
}

/** Ends every session of a locked license, when it stops being a floating one. */
export async function endAllSessions(tx: Tx, licenseKey: string): Promise<void> {
  await tx.run(endSessionsOfLicense, licenseKey);
}
