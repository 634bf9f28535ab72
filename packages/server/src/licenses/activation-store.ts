/** Activations as they are stored: in sets for the client endpoints, all of a license for operators. */
import { listOf, type Sql, type Statement, statement, type Tx, tableOf, type Value } from '../storage/storage.ts';
import type { Activation } from './activation.ts';

/** A row as it is stored: the list of countries is JSON text. */
interface ActivationRow extends Omit<Activation, 'countries'> {
  readonly countries: string;
}

type Field = keyof Activation;

const COLUMNS: Readonly<Record<Field, string>> = {
  licenseKey: 'license_key',
  fingerprint: 'fingerprint',
  activationId: 'activation_id',
  hostname: 'hostname',
  firstSeen: 'first_seen',
  lastSeen: 'last_seen',
  tokenExpiry: 'token_expiry',
  sessionStarted: 'session_started',
  sessionDeadline: 'session_deadline',
  sessionDue: 'session_due',
  countries: 'countries',
  lastCountry: 'last_country',
};

const ALL_FIELDS = Object.keys(COLUMNS) as Field[];
/**
 * What a sign of life changes, and no more: this is what machines send every few minutes. None of it is in an index, so
 * that PostgreSQL writes the row within its page and SQLite writes nothing but the row.
 */
const TOUCHED_FIELDS: readonly Field[] = ['lastSeen', 'tokenExpiry', 'sessionDeadline'];
/** What else may change of a machine that is bound: it is renamed, seen elsewhere, or its session resumes. */
const UPDATED_FIELDS: readonly Field[] = [
  ...TOUCHED_FIELDS,
  'sessionStarted',
  'sessionDue',
  'hostname',
  'countries',
  'lastCountry',
];
/** What an activation is known by. */
const MACHINE: readonly Field[] = ['licenseKey', 'fingerprint'];

const SELECTED = ALL_FIELDS.map((field) => `a.${COLUMNS[field]} as "${field}"`).join(', ');

/** Columns of text, for a table parameter. */
function columnsOf(fields: readonly Field[]): Readonly<Record<string, 'text'>> {
  return Object.fromEntries(fields.map((field) => [COLUMNS[field], 'text' as const]));
}

/** Values of some fields in the order of {@link columnsOf}, for a table parameter. */
function rowsOf(activations: readonly Partial<Activation>[], fields: readonly Field[]): string {
  return tableOf(
    activations.map((activation) =>
      fields.map((field): Value => {
        const value = activation[field];
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
      }),
    ),
  );
}

function updateOf(name: string, fields: readonly Field[]): Statement {
  const changes = fields.map((field) => `${COLUMNS[field]} = r.${COLUMNS[field]}`).join(', ');
  return statement(
    name,
    (words) => `update activation set ${changes} from ${words.table('$1', columnsOf([...MACHINE, ...fields]))} r
      where activation.license_key = r.license_key and activation.fingerprint = r.fingerprint`,
  );
}

const insert = statement('activation.insert', (words) => {
  const columns = Object.values(COLUMNS).join(', ');
  return `insert into activation (${columns}) select ${columns} from ${words.table('$1', columnsOf(ALL_FIELDS))} r`;
});

const touch = updateOf('activation.touch', TOUCHED_FIELDS);
const update = updateOf('activation.update', UPDATED_FIELDS);

const remove = statement(
  'activation.delete',
  (words) => `delete from activation where (license_key, fingerprint) in
    (select r.license_key, r.fingerprint from ${words.table('$1', columnsOf(MACHINE))} r)`,
);

const listByMachine = statement(
  'activation.list_by_machine',
  (words) => `select ${SELECTED} from ${words.table('$1', columnsOf(MACHINE))} r
    join activation a on a.license_key = r.license_key and a.fingerprint = r.fingerprint`,
);

const releaseLapsed = statement(
  'activation.release_lapsed',
  (words) => `update activation set
      session_started = case when session_deadline > $2 then session_started end,
      session_due = case when session_deadline > $2 then session_deadline end,
      session_deadline = case when session_deadline > $2 then session_deadline end
    where license_key ${words.among('$1')} and session_due is not null and session_due <= $2
    returning license_key as "licenseKey", session_deadline as "sessionDeadline"`,
);

const listOfLicense = statement(
  'activation.list_of_license',
  `select ${SELECTED} from activation a where a.license_key = $1 and a.fingerprint > $2
   order by a.fingerprint limit $3`,
);

const removeOfLicense = statement('activation.delete_of_license', 'delete from activation where license_key = $1');

const endSessionsOfLicense = statement(
  'activation.end_sessions_of_license',
  `update activation set session_started = null, session_deadline = null, session_due = null
   where license_key = $1 and session_due is not null`,
);

function activationFrom(row: ActivationRow): Activation {
  return { ...row, countries: JSON.parse(row.countries) as string[] };
}

/** A machine of a license, whether it is bound or not. */
export type MachineOfLicense = Pick<Activation, 'licenseKey' | 'fingerprint'>;

/** The activations of these machines. */
export async function listMachines(sql: Sql, machines: readonly MachineOfLicense[]): Promise<Activation[]> {
  return (await sql.all<ActivationRow>(listByMachine, rowsOf(machines, MACHINE))).map(activationFrom);
}

/**
 * Ends the floating sessions of locked licenses whose deadline has passed, so that what still holds a slot is live. It
 * looks at those that are due, and puts off those that have shown a sign of life since: each is looked at once in a
 * timeout, however many there are and however often they show one.
 *
 * @returns how many were released, by license key
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
export async function insertMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(insert, rowsOf(activations, ALL_FIELDS));
}

/** Writes activations that were there before. */
export async function updateMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(update, rowsOf(activations, [...MACHINE, ...UPDATED_FIELDS]));
}

/** Writes signs of life: lastSeen, token expiry and session deadline of activations whose other fields are as they were. */
export async function touchMachines(tx: Tx, activations: readonly Activation[]): Promise<void> {
  await tx.run(touch, rowsOf(activations, [...MACHINE, ...TOUCHED_FIELDS]));
}

/** Removes activations. */
export async function deleteMachines(tx: Tx, machines: readonly MachineOfLicense[]): Promise<void> {
  await tx.run(remove, rowsOf(machines, MACHINE));
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
  await tx.run(removeOfLicense, licenseKey);
}

/** Ends every session of a locked license, when it stops being a floating one. */
export async function endAllSessions(tx: Tx, licenseKey: string): Promise<void> {
  await tx.run(endSessionsOfLicense, licenseKey);
}
