/** Stored activations: in sets for the client endpoints, per license for operators. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { elementsOf, isText } from '../../storage/contract/stored-json.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Activation } from './activation.ts';

/** The table of activations. */
export const activationTable = new Table<Activation>('activation', {
  licenseKey: textColumn('license_key'),
  fingerprint: textColumn('fingerprint'),
  activationId: textColumn('activation_id'),
  hostname: textColumn('hostname'),
  firstSeen: textColumn('first_seen'),
  lastSeen: textColumn('last_seen'),
  tokenExpiry: textColumn('token_expiry'),
  sessionStarted: textColumn('session_started'),
  sessionDeadline: textColumn('session_deadline'),
  sessionDue: textColumn('session_due'),
  fileUntil: textColumn('file_until'),
  countries: jsonColumn('countries', (stored) => elementsOf(stored, isText)),
  lastCountry: textColumn('last_country'),
  user: textColumn('user_name'),
  userFolded: textColumn('user_folded'),
});

/** The key of an activation. */
const MACHINE = ['licenseKey', 'fingerprint'] as const;
/**
 * The only fields that a sign of life changes; machines send one every few minutes. None of them is indexed, so
 * PostgreSQL updates the row within its page and SQLite writes only the row.
 */
const TOUCHED_FIELDS = ['lastSeen', 'tokenExpiry', 'sessionDeadline'] as const;
/** All that may change of a bound machine: its name, its country, its resumed session, its user. */
const UPDATED_FIELDS = activationTable.except([...MACHINE, 'activationId', 'firstSeen']);

const SELECTED = activationTable.select('a');

// On SQLite the search indexes add the row later (licensing/licenses/jobs.ts). The mark is 1 character: with the
// moment, a batch would change 4 pages of the index of waiting machines instead of 2
// (docs/contributors/decisions/0029). On PostgreSQL the indexes add the row at once: for the later entry, PostgreSQL
// would write the row and its entries in all indexes again.
const insert = recorded(
  activationTable.insert('activation.insert', {
    computed: { unindexed_since: ({ indexesLate }) => (indexesLate ? "'1'" : 'null') },
  }),
);
const touch = activationTable.update('activation.touch', MACHINE, TOUCHED_FIELDS);
const update = recorded(activationTable.update('activation.update', MACHINE, UPDATED_FIELDS));

const rename = activationTable.update('activation.rename', MACHINE, ['hostname']);

const remove = recorded(
  statement(
    'activation.delete',
    (dialect) => `delete from activation where (license_key, fingerprint) in
    (select r.license_key, r.fingerprint from ${activationTable.unfold(dialect, '$1', MACHINE)} r)`,
  ),
);

const listByMachine = statement(
  'activation.list_by_machine',
  (dialect) => `select ${SELECTED} from ${activationTable.unfold(dialect, '$1', MACHINE)} r
    join activation a on a.license_key = r.license_key and a.fingerprint = r.fingerprint`,
);

const releaseLapsed = writeStatement(
  'activation.release_lapsed',
  (dialect) => `update activation set
      session_started = case when session_deadline > $2 then session_started end,
      session_due = case when session_deadline > $2 then session_deadline end,
      session_deadline = case when session_deadline > $2 then session_deadline end
    where license_key ${dialect.among('$1')} and session_due is not null and session_due <= $2
    returning license_key as "licenseKey", session_deadline as "sessionDeadline"`,
);

// Signs of life write last_seen, so no index has it: the statement reads every machine of a license. Only full licenses
// whose idle machines make room are read, at most once for each attempt of the 15 an hour.
const listIdle = statement(
  'activation.list_idle',
  (dialect) => `select ${SELECTED} from (
      select m.*, row_number() over (partition by m.license_key order by m.last_seen, m.fingerprint) as place
      from ${activationTable.unfold(dialect, '$1', ['licenseKey', 'lastSeen'])} r
      join activation m on m.license_key = r.license_key and m.last_seen < r.last_seen
        and (m.file_until is null or m.file_until <= $3)
    ) a where a.place <= $2 order by a.license_key, a.place`,
);

const listOfLicense = statement(
  'activation.list_of_license',
  `select ${SELECTED} from activation a where a.license_key = $1 and a.fingerprint > $2
   order by a.fingerprint limit $3`,
);

const listOfUser = statement(
  'activation.list_of_user',
  `select ${SELECTED} from activation a where a.user_folded = $2 and a.license_key = $1 order by a.fingerprint`,
);

const listCountries = statement(
  'activation.list_countries',
  `select ${activationTable.select('a', ['countries', 'lastCountry'])} from activation a where a.license_key = $1
   order by a.fingerprint limit $2`,
);

const listSessions = statement(
  'activation.list_sessions',
  `select ${SELECTED} from activation a
   where a.license_key = $1 and a.session_due is not null and a.session_deadline > $2
   order by a.session_due limit $3`,
);

const removeOfLicense = recorded(
  statement('activation.delete_of_license', 'delete from activation where license_key = $1'),
);

const endSessionsOfLicense = recorded(
  statement(
    'activation.end_sessions_of_license',
    `update activation set session_started = null, session_deadline = null, session_due = null
   where license_key = $1 and session_due is not null`,
  ),
);

function activationFrom(row: StoredRow): Activation {
  return activationTable.restore(row);
}

/** A machine of a license, bound or not. */
export type MachineOfLicense = Pick<Activation, 'licenseKey' | 'fingerprint'>;

/** The activations of these machines. */
export async function listMachines(sql: Sql, machines: readonly MachineOfLicense[]): Promise<Activation[]> {
  return (await sql.all<StoredRow>(listByMachine, activationTable.rows(machines, MACHINE))).map(activationFrom);
}

/**
 * The machines of licenses that were last seen before a moment and hold no file, the longest idle of a license first.
 *
 * @param bounds each license once, with the moment
 * @param limit maximum number of machines of one license
 * @param now the time by which files expire
 */
export async function listIdleMachines(
  sql: Sql,
  bounds: readonly Pick<Activation, 'licenseKey' | 'lastSeen'>[],
  limit: number,
  now: string,
): Promise<Activation[]> {
  const rows = activationTable.rows(bounds, ['licenseKey', 'lastSeen']);
  return (await sql.all<StoredRow>(listIdle, rows, limit, now)).map(activationFrom);
}

/**
 * Ends the lapsed floating sessions of locked licenses, so that only live ones hold a slot. Reads only sessions that
 * are due, and postpones those with a later sign of life: each session is read once per timeout, for any number of
 * sessions or heartbeats.
 *
 * @returns the number of released sessions by license key
 */
export async function releaseLapsedSessions(
  tx: Tx,
  licenseKeys: readonly string[],
  now: string,
): Promise<Map<string, number>> {
  const released = new Map<string, number>();
  type Row = Pick<Activation, 'licenseKey' | 'sessionDeadline'>;
  for (const { licenseKey, sessionDeadline } of await tx.all<Row>(releaseLapsed, listOf(licenseKeys), now))
    if (sessionDeadline === null) released.set(licenseKey, (released.get(licenseKey) ?? 0) + 1);
  return released;
}

/** Adds activations of locked licenses. */
export async function insertMachines(tx: RecordedTx, activations: readonly Activation[]): Promise<void> {
  await tx.run(insert, activationTable.rows(activations, activationTable.fields));
}

/** Writes changed activations. */
export async function updateMachines(tx: RecordedTx, activations: readonly Activation[]): Promise<void> {
  await tx.run(update, activationTable.rows(activations, [...MACHINE, ...UPDATED_FIELDS]));
}

/**
 * Writes signs of life: lastSeen, token expiry and session deadline of activations whose other fields are unchanged.
 */
export async function touchMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(touch, activationTable.rows(activations, [...MACHINE, ...TOUCHED_FIELDS]));
}

/** As {@link touchMachines}, as the last write of the transaction. */
export async function touchMachinesLast(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.runLast(touch, activationTable.rows(activations, [...MACHINE, ...TOUCHED_FIELDS]));
}

/** Removes activations. */
export async function deleteMachines(tx: RecordedTx, machines: readonly MachineOfLicense[]): Promise<void> {
  await tx.run(remove, activationTable.rows(machines, MACHINE));
}

/** A page of a license's activations, by fingerprint; `after` is the last fingerprint of the previous page, or ''. */
export async function listActivations(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
): Promise<Activation[]> {
  return (await sql.all<StoredRow>(listOfLicense, licenseKey, after, limit)).map(activationFrom);
}

/** The machines of a user of a license, by fingerprint. */
export async function listMachinesOfUser(
  sql: Sql,
  { licenseKey, userFolded }: { readonly licenseKey: string; readonly userFolded: string },
): Promise<Activation[]> {
  return (await sql.all<StoredRow>(listOfUser, licenseKey, userFolded)).map(activationFrom);
}

/** The countries of a license's first machines by fingerprint. */
export async function listCountriesOfMachines(
  sql: Sql,
  licenseKey: string,
  limit: number,
): Promise<readonly Pick<Activation, 'countries' | 'lastCountry'>[]> {
  return (await sql.all<StoredRow>(listCountries, licenseKey, limit)).map(activationFrom);
}

/** Machines of a license with a live floating session, up to a limit; roughly the least recently seen first. */
export async function listLiveSessions(
  sql: Sql,
  licenseKey: string,
  now: string,
  limit: number,
): Promise<Activation[]> {
  return (await sql.all<StoredRow>(listSessions, licenseKey, now, limit)).map(activationFrom);
}

/** Removes every activation of a locked license. */
export async function deleteAllMachines(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(removeOfLicense, licenseKey);
}

/** Ends every session of a locked license that is no longer floating. */
export async function endAllSessions(tx: RecordedTx, licenseKey: string): Promise<void> {
  await tx.run(endSessionsOfLicense, licenseKey);
}

/** Renames machines of locked licenses when their customer is forgotten. */
export async function renameMachines(
  tx: Tx,
  machines: readonly (MachineOfLicense & Pick<Activation, 'hostname'>)[],
): Promise<void> {
  if (machines.length > 0) await tx.run(rename, activationTable.rows(machines, [...MACHINE, 'hostname']));
}
