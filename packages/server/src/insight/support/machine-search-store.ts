/**
 * The look-ups of machines by fingerprint and by hostname, refused ones included (rules 4.3.1). Each finds its rows by
 * an index and reads a bounded number, regardless of the size of the database.
 */
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldAscii, type Sql, statement } from '../../storage/contract/storage.ts';
import type { Beginning } from './query-form.ts';

/** Maximum number of machines activated within the last minute that are read one by one. */
const MAX_NEW_MACHINES = 1_000;
/** Maximum number of refusals read: those of at least twenty licenses, which have at most fifty each. */
const MAX_REFUSALS = 1_000;

const machine = (alias: string) => `${alias}.license_key as "licenseKey", ${alias}.fingerprint as "fingerprint",
  ${alias}.hostname as "hostname", ${alias}.last_seen as "lastSeen", 0 as "isRefused"`;

/** The newest machines that the indexes do not cover yet, up to a bound. */
const NEW_MACHINES = `(select * from activation n where n.unindexed_since is not null and n.unindexed_since > ''
  order by n.unindexed_since desc limit ${MAX_NEW_MACHINES})`;

/** Machines with a matching value of an indexed column, plus those among the new ones. */
const machinesBy = (column: (alias: string) => string, condition: (column: string) => string, limit: string) => {
  const order = (alias: string) => `${column(alias)}, ${alias}.license_key, ${alias}.fingerprint`;
  return `select * from (select ${machine('a')} from activation a
       where a.unindexed_since is null and ${condition(column('a'))} order by ${order('a')} limit ${limit}) settled
     union all
     select * from (select ${machine('m')} from ${NEW_MACHINES} m
       where ${condition(column('m'))} order by ${order('m')} limit ${limit}) fresh`;
};

/**
 * Refused machines, from refusals with a matching value of an indexed column. Each comes with its latest name, and a
 * mark if it is not bound.
 */
const refusedBy = (condition: string, order: string, first: string, limit: string) =>
  `select r.license_key as "licenseKey", r.fingerprint as "fingerprint",
     substr(max(r.last_at || ' ' || r.hostname), ${toTimestamp(0).length + 2}) as "hostname", max(r.last_at) as "lastSeen",
     case when exists (select 1 from activation b where b.license_key = r.license_key and b.fingerprint = r.fingerprint)
       then 0 else 1 end as "isRefused"
   from (select * from kept_refusal k where k.fingerprint <> '' and ${condition}
     order by ${order} limit ${MAX_REFUSALS}) r
   group by r.license_key, r.fingerprint order by ${first}, r.license_key, r.fingerprint limit ${limit}`;

const byHostname = statement(
  'activation.search_hostname',
  `${machinesBy(
    (alias) => `lower(${alias}.hostname)`,
    (column) => `${column} >= $1 and ${column} < $2`,
    '$3',
  )}
   union all
   select * from (${refusedBy(
     'k.hostname is not null and lower(k.hostname) >= $1 and lower(k.hostname) < $2',
     'lower(k.hostname), k.license_key',
     'min(lower(r.hostname))',
     '$3',
   )}) refused`,
);

const byFingerprint = statement(
  'activation.search_fingerprint',
  `${machinesBy(
    (alias) => `${alias}.fingerprint`,
    (column) => `${column} = $1`,
    '$2',
  )}
   union all
   select * from (${refusedBy('k.fingerprint = $1', 'k.fingerprint desc, k.refusal_id desc', 'max(r.fingerprint)', '$2')}) refused`,
);

export interface FoundMachine {
  readonly licenseKey: string;
  readonly fingerprint: string;
  /** Null if the name of a refused machine is unknown. */
  readonly hostname: string | null;
  /** Time last seen; for a machine found among refusals, time last refused. */
  readonly lastSeen: string;
  /** 1 if the machine was refused and is not bound. */
  readonly isRefused: number;
}

/**
 * For the operator: machines of all licenses whose hostnames have this prefix. Machines activated within the last
 * minute are included unless there are more than a thousand; refused machines as long as their refusals are stored.
 */
export async function searchHostnames(sql: Sql, { from, to }: Beginning, limit: number): Promise<FoundMachine[]> {
  const machines = await sql.all<FoundMachine>(byHostname, from, to, limit);
  return eachOnce(machines).sort(refusedFirst(byNameAndKey)).slice(0, limit);
}

/**
 * For the operator: machines of all licenses with this fingerprint; new and refused ones as in {@link searchHostnames}.
 */
export async function searchFingerprint(sql: Sql, fingerprint: string, limit: number): Promise<FoundMachine[]> {
  const machines = await sql.all<FoundMachine>(byFingerprint, fingerprint, limit);
  return eachOnce(machines).sort(refusedFirst(byKeyAlone)).slice(0, limit);
}

/**
 * Keeps the first row of each machine. Refusals come last, so a machine that is bound and was refused appears as bound.
 */
function eachOnce(machines: readonly FoundMachine[]): FoundMachine[] {
  const found = new Map<string, FoundMachine>();
  for (const machine of machines) {
    const name = JSON.stringify([machine.licenseKey, machine.fingerprint]);
    if (!found.has(name)) found.set(name, machine);
  }
  return [...found.values()];
}

/** Orders refused machines first, because support is asked about these. */
function refusedFirst(compare: (one: FoundMachine, other: FoundMachine) => number) {
  return (one: FoundMachine, other: FoundMachine) => other.isRefused - one.isRefused || compare(one, other);
}

function byNameAndKey(one: FoundMachine, other: FoundMachine): number {
  const [name, otherName] = [foldAscii(one.hostname ?? ''), foldAscii(other.hostname ?? '')];
  return name === otherName ? byKeyAlone(one, other) : name < otherName ? -1 : 1;
}

function byKeyAlone(one: FoundMachine, other: FoundMachine): number {
  return one.licenseKey < other.licenseKey ? -1 : 1;
}
