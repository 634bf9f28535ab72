/** SQL of the lists of destinations, newest first. */
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList, indexScan, NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import type { Destination, ShownState } from './destination.ts';
import { destinationTable } from './store.ts';

const SELECT = `select ${destinationTable.select('d')}`;
const WITH_PROGRESS = 'destination d join destination_progress p on p.destination_id = d.destination_id';
/** {@link ShownState} in SQL. */
const SHOWN_STATE = "case when d.state = 'active' and p.failing_since is not null then 'failing' else d.state end";

const list = new FilteredList('destination.list', `${SELECT} from destination d`, 'd', 'destination_id', {
  owner: 'creator_id',
});

// An owner has at most a hundred, so the filter skips a bounded number of rows.
const listOwnersInState = new NamedStatement(
  'destination.list_of_owner_in_state',
  ['createdAt', 'id', 'limit', 'owner', 'state'],
  (dialect) =>
    `${SELECT} from ${WITH_PROGRESS}
     ${pageAlong(dialect, 'd', 'destination_id', { creator_id: ':owner' }, { filter: `and ${SHOWN_STATE} = :state` })}`,
);

// Identifiers order as the times of creation do. Only the list of active ones skips rows, those that fail.
const listAllInState = new NamedStatement('destination.list_in_state', ['id', 'limit', 'state'], (dialect) => {
  const along = { agreed: { 'd.state': ':state' }, cursor: { 'd.destination_id': ':id' }, limit: ':limit' };
  return `${SELECT} from ${WITH_PROGRESS} ${indexScan(dialect, { ...along, filter: `and ${SHOWN_STATE} = :state` })}`;
});

const listFailing = new NamedStatement('destination.list_failing', ['id', 'limit'], (dialect) => {
  const along = { cursor: { 'p.destination_id': ':id' }, limit: ':limit' };
  return `${SELECT} from destination_progress p join destination d on d.destination_id = p.destination_id
    ${indexScan(dialect, { ...along, filter: `and p.failing_since is not null and ${SHOWN_STATE} = 'failing'` })}`;
});

/** Selects destinations in a list. */
export interface DestinationFilter {
  /** Undefined for all owners. */
  readonly owner?: string | undefined;
  readonly state?: ShownState | undefined;
}

/** Returns a page of destinations, newest first. */
export async function listDestinations(
  sql: Sql,
  filter: DestinationFilter,
  after: PageCursor,
  limit: number,
): Promise<readonly Destination[]> {
  const rows = await rowsOf(sql, filter, after, limit);
  return rows.map((row) => destinationTable.restore(row));
}

function rowsOf(sql: Sql, { owner, state }: DestinationFilter, after: PageCursor, limit: number): Promise<StoredRow[]> {
  if (state === undefined) return list.page<StoredRow>(sql, { owner }, after, limit);
  if (owner !== undefined) return listOwnersInState.all<StoredRow>(sql, { ...after, limit, owner, state });
  const { id } = after;
  if (state === 'failing') return listFailing.all<StoredRow>(sql, { id, limit });
  return listAllInState.all<StoredRow>(sql, { id, limit, state });
}
