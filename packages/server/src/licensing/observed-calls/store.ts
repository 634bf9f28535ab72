/** The table of stored refusals. */
import { fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import { type KeptRefusal, keptRefusalColumns, MAX_REFUSALS_OF_LICENSE } from './kept-refusal.ts';

const keptRefusalTable = new Table<KeptRefusal>('kept_refusal', keptRefusalColumns);

/** Refusals to add, each with the period in which a row of the same kind must have begun to absorb it. */
interface Added extends KeptRefusal {
  readonly begunAfter: string;
  readonly begunBefore: string;
}
const addedTable = new Table<Added>('kept_refusal', {
  ...keptRefusalColumns,
  begunAfter: textColumn('begun_after'),
  begunBefore: textColumn('begun_before'),
});

const SELECTED = keptRefusalTable.select('k');
const [, , ...OTHER_COLUMNS] = keptRefusalTable.columns();

// Serializes the writes of all nodes, so that none overlooks a row that another is about to write, and no license
// exceeds its rows. No call waits for this lock.
const lock = statement(
  'kept_refusal.lock',
  (dialect) => `select j.job from job_lease j where j.job = 'write refusals' ${dialect.forUpdate}`,
);

/** The columns that give a row the machine's name at a repeat. */
const NAMED = ['licenseKey', 'refusalId', 'hostname', 'lastAt'] as const;

/** True if the added refusal is later than the stored one. */
const IS_LATER = 'excluded.last_at >= kept_refusal.last_at';

// A license has few rows, so the search is short.
const add = writeStatement(
  'kept_refusal.add',
  (dialect) => `insert into kept_refusal (${keptRefusalTable.columns().join(', ')}, product_id)
    select r.license_key,
      coalesce((select max(k.refusal_id) from kept_refusal k where k.license_key = r.license_key
        and k.code = r.code and k.fingerprint = r.fingerprint
        and k.first_at > r.begun_after and k.first_at < r.begun_before), r.refusal_id),
      ${OTHER_COLUMNS.map((column) => `r.${column}`).join(', ')}, l.product_id
    from ${addedTable.unfold(dialect, '$1', addedTable.fields)} r
    join license l on l.license_key = r.license_key
    where true
    on conflict (license_key, refusal_id) do update set
      count = kept_refusal.count + excluded.count,
      first_at = case when excluded.first_at < kept_refusal.first_at then excluded.first_at else kept_refusal.first_at end,
      endpoint = case when ${IS_LATER} then excluded.endpoint else kept_refusal.endpoint end,
      last_at = case when ${IS_LATER} then excluded.last_at else kept_refusal.last_at end,
      details = case when ${IS_LATER} then excluded.details else kept_refusal.details end,
      request_id = case when ${IS_LATER} then excluded.request_id else kept_refusal.request_id end
    returning license_key as "licenseKey", refusal_id as "refusalId", code as "code", fingerprint as "fingerprint"`,
);

// Separate from the other changes of a repeat, because the name is in an index, and SQLite rewrites the index entry
// whenever a statement sets the column.
const renameRepeated = statement(
  'kept_refusal.rename_repeated',
  (dialect) => `update kept_refusal set hostname = r.hostname
    from ${keptRefusalTable.unfold(dialect, '$1', NAMED)} r
    where kept_refusal.license_key = r.license_key and kept_refusal.refusal_id = r.refusal_id
      and (kept_refusal.hostname is null or (kept_refusal.hostname <> r.hostname and kept_refusal.last_at = r.last_at))`,
);

const trim = statement(
  'kept_refusal.trim',
  (dialect) => `delete from kept_refusal where (license_key, refusal_id) in
    (select k.license_key, k.refusal_id from
      (select r.license_key as license_key,
         (select n.refusal_id from kept_refusal n where n.license_key = r.license_key
          order by n.refusal_id desc limit 1 offset ${MAX_REFUSALS_OF_LICENSE}) as newest_superfluous
       from ${keptRefusalTable.unfold(dialect, '$1', ['licenseKey'])} r) c
     join kept_refusal k on k.license_key = c.license_key and k.refusal_id <= c.newest_superfluous)`,
);

const list = statement(
  'kept_refusal.list',
  `select ${SELECTED} from kept_refusal k where k.license_key = $1 and k.refusal_id < $2
   order by k.refusal_id desc limit $3`,
);

const findLastMachine = statement(
  'kept_refusal.find_last_machine',
  `select k.fingerprint as "fingerprint", k.hostname as "hostname", k.last_at as "lastAt"
   from kept_refusal k where k.license_key = $1 and k.fingerprint <> ''
   order by k.last_at desc, k.refusal_id desc limit 1`,
);

/** Sorts after every refusal. */
const AFTER_ALL = '~';

/**
 * Adds refusals to the rows of their kind that began within the hour, or as new rows. Each license keeps its newest
 * {@link MAX_REFUSALS_OF_LICENSE} rows. Refusals of licenses that do not exist are skipped.
 */
export async function addRefusals(tx: Tx, refusals: readonly KeptRefusal[]): Promise<void> {
  const changed = new Set<string>();
  const sets = setsOf(refusals);
  await Promise.all([
    tx.first(lock),
    ...sets.map(async (set) => {
      const rows = (await tx.all<StoredRow>(add, addedRows(set))).map((row) => keptRefusalTable.restore<AddedTo>(row));
      const minted = new Set(set.map(({ refusalId }) => refusalId));
      for (const { licenseKey, refusalId } of rows) if (minted.has(refusalId)) changed.add(licenseKey);
      const repeats = new Map(rows.flatMap((row) => (minted.has(row.refusalId) ? [] : [[kindOf(row), row.refusalId]])));
      const named = set.flatMap((refusal) => {
        const refusalId = repeats.get(kindOf(refusal));
        return refusalId === undefined || refusal.hostname === null ? [] : [{ ...refusal, refusalId }];
      });
      if (named.length > 0) await tx.run(renameRepeated, keptRefusalTable.rows(named, NAMED));
    }),
  ]);
  if (changed.size === 0) return;
  const licenses = [...changed].map((licenseKey) => ({ licenseKey }));
  await tx.run(trim, keptRefusalTable.rows(licenses, ['licenseKey']));
}

/** The row that a refusal was added to. */
type AddedTo = Pick<KeptRefusal, 'licenseKey' | 'refusalId' | 'code' | 'fingerprint'>;

/** The common key of the refusals of one row, besides the hour. */
function kindOf({ licenseKey, code, fingerprint }: Pick<KeptRefusal, 'licenseKey' | 'code' | 'fingerprint'>): string {
  return JSON.stringify([licenseKey, code, fingerprint]);
}

/** Splits refusals, in order, into sets in which no two could go into one row. Each set is one statement. */
function setsOf(refusals: readonly KeptRefusal[]): KeptRefusal[][] {
  const sets: KeptRefusal[][] = [];
  const times = new Map<string, number>();
  for (const refusal of refusals) {
    const kind = kindOf(refusal);
    const before = times.get(kind) ?? 0;
    times.set(kind, before + 1);
    const set = sets[before];
    if (set === undefined) sets.push([refusal]);
    else set.push(refusal);
  }
  return sets;
}

function addedRows(refusals: readonly KeptRefusal[]): string {
  const added = refusals.map((refusal) => {
    const first = fromTimestamp(refusal.firstAt);
    return { ...refusal, begunAfter: toTimestamp(first - HOUR_MS), begunBefore: toTimestamp(first + HOUR_MS) };
  });
  return addedTable.rows(added, addedTable.fields);
}

/**
 * Lists the recent refusals of a license, newest row first.
 *
 * @param before the refusalId of the last row of the previous page; null for the first page
 */
export async function listRefusals(
  sql: Sql,
  licenseKey: string,
  before: string | null,
  limit: number,
): Promise<readonly KeptRefusal[]> {
  const rows = await sql.all<StoredRow>(list, licenseKey, before ?? AFTER_ALL, limit);
  return rows.map((row) => keptRefusalTable.restore<KeptRefusal>(row));
}

/** The machine of a license that was refused last, and the time; null if there is none. */
export async function findLastRefusedMachine(sql: Sql, licenseKey: string): Promise<RefusedMachine | null> {
  return (await sql.first<RefusedMachine>(findLastMachine, licenseKey)) ?? null;
}

/** A machine that was refused. */
export interface RefusedMachine {
  readonly fingerprint: string;
  readonly hostname: string | null;
  readonly lastAt: string;
}

// Searches the rows of the license, because the rows of the machine may belong to many licenses.
const findName = statement(
  'kept_refusal.find_name',
  `select k.hostname as "hostname" from kept_refusal k
   where k.license_key = $1 and k.fingerprint || '' = $2 and k.hostname is not null order by k.last_at desc, k.refusal_id desc
   limit 1`,
);

/** The name of a license's machine at its last stored refusal; null if none is stored. */
export async function findRefusedName(sql: Sql, licenseKey: string, fingerprint: string): Promise<string | null> {
  return (await sql.first<{ readonly hostname: string }>(findName, licenseKey, fingerprint))?.hostname ?? null;
}

const countSince = statement(
  'kept_refusal.count_since',
  `select coalesce(sum(k.count), 0) as "count" from kept_refusal k where k.license_key = $1 and k.last_at > $2`,
);

/**
 * The number of refused calls of a license since a moment. A row counts fully if its last refusal is later, even if it
 * began earlier.
 */
export async function countRefusalsSince(sql: Sql, licenseKey: string, since: string): Promise<number> {
  return (await sql.first<{ readonly count: number }>(countSince, licenseKey, since))?.count ?? 0;
}

const renameMachines = statement(
  'kept_refusal.rename_machines',
  'update kept_refusal set hostname = $2 where license_key = $1 and hostname <> $2',
);

/** Replaces the names of machines in the refusals of a license; returns the number of rows changed. */
export function renameRefusedMachines(tx: Tx, licenseKey: string, hostname: string): Promise<number> {
  return tx.run(renameMachines, licenseKey, hostname);
}
