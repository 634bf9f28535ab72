/** When each connector reads the events that its seller's API lists, and how the last time ended. */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { integerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** The catching up of a connector with the API of its seller. */
export interface CatchUp {
  readonly connectorId: string;
  readonly dueAt: string;
  /** Events from this moment on may be missing. */
  readonly since: string;
  /** When the last run began that read all lists; null before the first. */
  readonly caughtUpAt: string | null;
  /** Runs that failed since then. */
  readonly attempts: number;
  /** Why the last run failed; null if it did not. */
  readonly failure: string | null;
}

const catchUpTable = new Table<CatchUp>('connector_catch_up', {
  connectorId: textColumn('connector_id'),
  dueAt: textColumn('due_at'),
  since: textColumn('since'),
  caughtUpAt: textColumn('caught_up_at'),
  attempts: integerColumn('attempts'),
  failure: textColumn('failure'),
});
const COLUMNS = catchUpTable.select('c');
const WRITTEN = ['dueAt', 'since', 'caughtUpAt', 'attempts', 'failure'] as const;

const insert = catchUpTable.insert('connector_catch_up.insert', {
  conflict: 'on conflict (connector_id) do update set due_at = excluded.due_at',
});
const update = catchUpTable.update('connector_catch_up.update', ['connectorId'], WRITTEN);
const find = statement(
  'connector_catch_up.find',
  `select ${COLUMNS} from connector_catch_up c where c.connector_id = $1`,
);
const list = statement(
  'connector_catch_up.list',
  (dialect) => `select ${COLUMNS} from connector_catch_up c where c.connector_id ${dialect.among('$1')}`,
);
const findFirst = statement(
  'connector_catch_up.find_first',
  `select ${COLUMNS} from connector_catch_up c where c.due_at > '' order by c.due_at, c.connector_id limit 1`,
);
const hasten = statement('connector_catch_up.hasten', 'update connector_catch_up set due_at = $1 where due_at > $1');
const clear = statement('connector_catch_up.clear', "delete from connector_catch_up where due_at > ''");
const remove = statement('connector_catch_up.delete', 'delete from connector_catch_up where connector_id = $1');

const restored = (row: StoredRow | undefined) => row && catchUpTable.restore<CatchUp>(row);

/** Lets a connector catch up at this moment, in milliseconds since 1970; one that never did, from `since` on. */
export async function makeCatchUpDue(tx: Tx, connectorId: string, since: string, now: number): Promise<void> {
  const begun = { connectorId, dueAt: toTimestamp(now), since, caughtUpAt: null, attempts: 0, failure: null };
  await tx.run(insert, catchUpTable.rows([begun], catchUpTable.fields));
}

/** The catching up that is due first; its moment may be in the future. */
export async function findNextCatchUp(sql: Sql): Promise<CatchUp | undefined> {
  return restored(await sql.first<StoredRow>(findFirst));
}

/** The moment at which the next connector catches up, in milliseconds since 1970; null if none does. */
export async function findCatchUpMoment(sql: Sql): Promise<number | null> {
  const next = await findNextCatchUp(sql);
  return next === undefined ? null : fromTimestamp(next.dueAt);
}

export async function findCatchUp(sql: Sql, connectorId: string): Promise<CatchUp | undefined> {
  return restored(await sql.first<StoredRow>(find, connectorId));
}

/** The catching up of connectors that do, by connectorId. */
export async function listCatchUps(sql: Sql, connectorIds: readonly string[]): Promise<ReadonlyMap<string, CatchUp>> {
  const rows = await sql.all<StoredRow>(list, listOf(connectorIds));
  return new Map(rows.map((row) => catchUpTable.restore<CatchUp>(row)).map((each) => [each.connectorId, each]));
}

export async function saveCatchUp(tx: Tx, catchUp: CatchUp): Promise<void> {
  await tx.run(update, catchUpTable.rows([catchUp], ['connectorId', ...WRITTEN]));
}

/** Lets all connectors that ever catch up do so at this moment. */
export async function hastenCatchUps(tx: Tx, now: number): Promise<void> {
  await tx.run(hasten, toTimestamp(now));
}

/** Ends the catching up of every connector, in a copy. /updateConnector with `catchUp` begins it again. */
export async function forgetCatchUps(tx: Tx): Promise<void> {
  await tx.run(clear);
}

export async function deleteCatchUp(tx: Tx, connectorId: string): Promise<void> {
  await tx.run(remove, connectorId);
}
