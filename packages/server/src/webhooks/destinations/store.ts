/** Stored destinations and their progress. Every change holds the lock of `destination_turn` (turn-store.ts). */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Dialect, listOf, type Sql, statement, type Tx, type Value } from '../../storage/contract/storage.ts';
import {
  type Columns,
  flagColumn,
  integerColumn,
  jsonColumn,
  momentColumn,
  ownerColumn,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import type { Destination, DestinationState, Progress } from './destination.ts';
import type { Sendable } from './sendable.ts';

function textsIn(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
}

export const destinationTable = new Table<Destination>('destination', {
  destinationId: textColumn('destination_id'),
  creatorId: ownerColumn('creator_id'),
  url: textColumn('url'),
  description: textColumn('description'),
  types: jsonColumn('types', textsIn),
  productIds: jsonColumn('product_ids', (stored) => (Array.isArray(stored) ? textsIn(stored) : null)),
  includeLicenseKeys: flagColumn('include_license_keys'),
  includePersonalData: flagColumn('include_personal_data'),
  requestsPerSecond: integerColumn('requests_per_second'),
  secret: textColumn('secret'),
  previousSecret: textColumn('previous_secret'),
  previousEndsAt: textColumn('previous_ends_at'),
  state: textColumn<DestinationState>('state'),
  stateReason: textColumn('state_reason'),
  createdAt: textColumn('created_at'),
  updatedAt: textColumn('updated_at'),
});

export const PROGRESS_COLUMNS: Columns<Progress> = {
  destinationId: textColumn('destination_id'),
  position: integerColumn('position'),
  failingSince: momentColumn('failing_since'),
  failures: integerColumn('failures'),
  nextTryAt: momentColumn('next_try_at'),
  lastSuccessAt: momentColumn('last_success_at'),
  lastFailureAt: momentColumn('last_failure_at'),
  lastError: textColumn('last_error'),
};
const progressTable = new Table<Progress>('destination_progress', PROGRESS_COLUMNS);

const COLUMNS = destinationTable.select('d');
const CHANGEABLE_FIELDS = destinationTable.except(['destinationId', 'creatorId', 'createdAt']);

const findActive = statement(
  'destination.find_active',
  `select d.destination_id as "destinationId" from destination d
   where d.state = 'active' and d.destination_id > '' order by d.destination_id limit 1`,
);

const find = statement(
  'destination.find',
  `select ${COLUMNS} from destination d where d.destination_id = $1 and (d.creator_id = $2 or $2 is null)`,
);

const countOfOwner = statement(
  'destination.count_of_owner',
  'select count(*) as "count" from destination d where d.creator_id = $1',
);

const listState = statement(
  'destination.list_state',
  `select ${COLUMNS} from destination d where d.state = $1 order by d.destination_id`,
);

/** The fields of {@link SentTo}. */
const SENT_TO_FIELDS = destinationTable.except(['description', 'state', 'stateReason', 'createdAt', 'updatedAt']);
const PROGRESS_FIELDS = progressTable.except(['destinationId']);

/** Makes a statement that returns active destinations with their progress, as text. */
function listingActive(name: string, which: (dialect: Dialect) => string) {
  return statement(name, (dialect) =>
    dialect.rowsAsText(
      [...destinationTable.columns(SENT_TO_FIELDS), ...progressTable.columns(PROGRESS_FIELDS)],
      `select ${[
        ...destinationTable.columns(SENT_TO_FIELDS).map((column) => `d.${column}`),
        ...progressTable.columns(PROGRESS_FIELDS).map((column) => `p.${column}`),
      ].join(', ')}
       from destination d join destination_progress p on p.destination_id = d.destination_id
       where d.state = 'active' and d.destination_id ${which(dialect)}`,
    ),
  );
}

const listActiveRows = listingActive('destination.list_active', () => '> $1 order by d.destination_id limit $2');
const listActiveNamed = listingActive('destination.list_active_named', ({ among }) => among('$1'));

const listNamed = statement(
  'destination.list_named',
  (dialect) => `select ${COLUMNS} from destination d where d.destination_id ${dialect.among('$1')}`,
);

const insert = recorded(destinationTable.insert('destination.insert'));
const update = recorded(destinationTable.update('destination.update', ['destinationId'], CHANGEABLE_FIELDS));
const remove = recorded(statement('destination.delete', 'delete from destination where destination_id = $1'));

const listOwners = statement(
  'product.list_owners',
  (dialect) => `select p.product_id as "productId", p.creator_id as "creatorId" from product p
    where p.product_id ${dialect.among('$1')}`,
);

const listProgress = statement(
  'destination_progress.list',
  (dialect) => `select ${progressTable.select('p')} from destination_progress p
    where p.destination_id ${dialect.among('$1')}`,
);
const lockProgress = statement(
  'destination_progress.lock',
  (dialect) => `select ${progressTable.select('p')} from destination_progress p
    where p.destination_id ${dialect.among('$1')} ${dialect.forUpdate}`,
);
const insertOneProgress = progressTable.insert('destination_progress.insert');
const updateProgress = progressTable.update('destination_progress.update', ['destinationId'], PROGRESS_FIELDS);
/** Rows in these tables are deleted with their destination. */
const OF_A_DESTINATION = [
  ...['destination_progress', 'destination_key', 'event_replay', 'delivery', 'delivery_attempt', 'delivery_test'],
] as const;
const removeAll = OF_A_DESTINATION.map((table) =>
  statement(`${table}.delete_of_destination`, `delete from ${table} where destination_id = $1`),
);

const removeLater = statement(
  'delivery.delete_later',
  'delete from delivery where destination_id = $1 and position > $2',
);

/** A destination with its progress. */
export interface DestinationWithProgress {
  readonly destination: Destination;
  readonly progress: Progress;
}

/** Returns whether events are to be sent to any destination. */
export async function hasActiveDestination(sql: Sql): Promise<boolean> {
  return (await sql.first(findActive)) !== undefined;
}

/** Returns the destination if it is in scope. */
export async function findDestination(
  sql: Sql,
  destinationId: string,
  { creatorId }: Scope,
): Promise<Destination | undefined> {
  const row = await sql.first<StoredRow>(find, destinationId, creatorId);
  return row && destinationTable.restore(row);
}

/** The number of destinations of an owner; null is the operator. */
export async function countDestinations(sql: Sql, creatorId: string | null): Promise<number> {
  return (await sql.first<{ count: number }>(countOfOwner, creatorId ?? ''))?.count ?? 0;
}

/**
 * A page of the active destinations of all owners with the lowest ids after one of them, as text for
 * {@link sendablesIn}.
 */
export async function listActivePage(sql: Sql, after: string, limit: number): Promise<string> {
  return (await sql.first<{ rows: string }>(listActiveRows, after, limit))?.rows ?? '[]';
}

/** Those of the named destinations that are active, as text for {@link sendablesIn}. */
export async function listActiveAmong(sql: Sql, destinationIds: readonly string[]): Promise<string> {
  return (await sql.first<{ rows: string }>(listActiveNamed, listOf(destinationIds)))?.rows ?? '[]';
}

/** The destinations in the text of a page, in any order. */
export function sendablesIn(page: string): Sendable[] {
  return (JSON.parse(page) as Value[][]).map((values) => {
    const destination = destinationTable.fromValues(SENT_TO_FIELDS, values);
    const { destinationId } = destination;
    const progress = progressTable.fromValues(PROGRESS_FIELDS, values.slice(SENT_TO_FIELDS.length));
    return { destination, progress: { destinationId, ...progress } };
  });
}

/** The destinations with these ids. */
export async function listDestinationsById(
  sql: Sql,
  destinationIds: readonly string[],
): Promise<readonly Destination[]> {
  if (destinationIds.length === 0) return [];
  const rows = await sql.all<StoredRow>(listNamed, listOf(destinationIds));
  return rows.map((row) => destinationTable.restore(row));
}

/** The destinations of all owners that are stored in this state. */
export async function listInState(sql: Sql, state: DestinationState): Promise<readonly Destination[]> {
  const rows = await sql.all<StoredRow>(listState, state);
  return rows.map((row) => destinationTable.restore(row));
}

/** Returns the present owner of each product. */
export async function listOwnersOf(sql: Sql, productIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.all<{ productId: string; creatorId: string }>(listOwners, listOf(productIds));
  return new Map(rows.map(({ productId, creatorId }) => [productId, creatorId]));
}

/** Adds the progress of each destination. */
export async function withProgress(
  sql: Sql,
  destinations: readonly Destination[],
): Promise<readonly DestinationWithProgress[]> {
  return joined(destinations, await sql.all<StoredRow>(listProgress, idsOf(destinations)));
}

/**
 * Adds the progress of each destination, and locks it. The sender moves destinations without their lock, so a change
 * that writes or depends on a position needs this one as well.
 */
export async function withLockedProgress(
  tx: Tx,
  destinations: readonly Destination[],
): Promise<readonly DestinationWithProgress[]> {
  return joined(destinations, await tx.all<StoredRow>(lockProgress, idsOf(destinations)));
}

function idsOf(destinations: readonly Destination[]) {
  return listOf(destinations.map(({ destinationId }) => destinationId));
}

function joined(destinations: readonly Destination[], rows: readonly StoredRow[]): readonly DestinationWithProgress[] {
  const progress = new Map(
    rows.map((row) => {
      const restored = progressTable.restore(row);
      return [restored.destinationId, restored] as const;
    }),
  );
  return destinations.flatMap((destination) => {
    const found = progress.get(destination.destinationId);
    return found === undefined ? [] : [{ destination, progress: found }];
  });
}

/** Adds a destination. */
export async function insertDestination(tx: RecordedTx, destination: Destination): Promise<void> {
  await tx.run(insert, destinationTable.rows([destination], destinationTable.fields));
}

/** Adds the progress of a new destination, which begins after a position of the feed. */
export async function insertProgress(tx: Tx, destinationId: string, position: number): Promise<void> {
  const progress: Progress = {
    destinationId,
    position,
    failingSince: null,
    failures: 0,
    nextTryAt: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
  };
  await tx.run(insertOneProgress, progressTable.rows([progress], progressTable.fields));
}

/** Writes the changeable fields of a locked destination. */
export async function updateDestination(tx: RecordedTx, destination: Destination): Promise<void> {
  await tx.run(update, destinationTable.rows([destination], ['destinationId', ...CHANGEABLE_FIELDS]));
}

/** Deletes a destination with all its rows in other tables. */
export async function deleteDestination(tx: RecordedTx, destinationId: string): Promise<void> {
  await tx.run(remove, destinationId);
  for (const each of removeAll) await tx.run(each, destinationId);
}

/** Deletes the deliveries of events after a position, which are read from the feed again. */
export async function forgetLaterDeliveries(tx: Tx, destinationId: string, position: number): Promise<void> {
  await tx.run(removeLater, destinationId, position);
}

/** Writes the progress of destinations. Skips destinations that were deleted in the meantime. */
export async function saveProgress(tx: Tx, progress: readonly Progress[]): Promise<void> {
  await tx.run(updateProgress, progressTable.rows(progress, progressTable.fields));
}
