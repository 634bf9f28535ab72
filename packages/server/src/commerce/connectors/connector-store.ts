/** Stored connectors and their mappings. Every change and every application of an event locks the connector's row. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { listOf, type Sql, statement, type Tx, tableOf } from '../../storage/contract/storage.ts';
import { elementsOf, isRecord, recordOf } from '../../storage/contract/stored-json.ts';
import {
  integerColumn,
  jsonColumn,
  ownerColumn,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import type { Connector, Sealed, SigningSecret } from './connector.ts';
import type { Mapping } from './mapping.ts';
import { type ConnectorSettings, DEFAULT_SETTINGS } from './settings.ts';
import type { Rejection } from './sources/source.ts';

const connectorTable = new Table<Connector>('connector', {
  connectorId: textColumn('connector_id'),
  creatorId: ownerColumn('creator_id'),
  source: textColumn('source'),
  name: textColumn('name'),
  mode: textColumn('mode'),
  state: textColumn('state'),
  prefix: textColumn('prefix'),
  secrets: jsonColumn('secrets', (stored) => elementsOf(stored, isRecord) as unknown as readonly SigningSecret[]),
  apiKey: {
    name: 'api_key',
    type: 'text',
    store: (field) => (field === null ? null : JSON.stringify(field)),
    restore: (stored) => (stored === null ? null : (JSON.parse(stored as string) as Sealed)),
  },
  // A setting that a later version adds has its usual value in connectors from before.
  settings: jsonColumn('settings', (stored): ConnectorSettings => ({ ...DEFAULT_SETTINGS, ...recordOf(stored) })),
  createdAt: textColumn('created_at'),
  updatedAt: textColumn('updated_at'),
});

/** A stored mapping; {@link Mapping.id} of `any` is ''. */
interface MappingRow {
  readonly connectorId: string;
  readonly match: Mapping['match'];
  readonly id: string;
  readonly target: Mapping['target'];
}

const mappingTable = new Table<MappingRow>('connector_mapping', {
  connectorId: textColumn('connector_id'),
  match: textColumn('kind'),
  id: textColumn('external_id'),
  target: jsonColumn('target', (stored) => stored as Mapping['target']),
});

/** The requests to a connector whose signature was not valid. */
export interface Rejections {
  readonly connectorId: string;
  readonly rejected: number;
  readonly lastRejectedAt: string;
  readonly lastRejection: Rejection;
}

const rejectionTable = new Table<Rejections>('connector_rejection', {
  connectorId: textColumn('connector_id'),
  rejected: integerColumn('rejected'),
  lastRejectedAt: textColumn('last_rejected_at'),
  lastRejection: textColumn('last_rejection'),
});

const COLUMNS = connectorTable.select('c');
const CHANGEABLE = connectorTable.except(['connectorId', 'creatorId', 'source', 'mode', 'createdAt']);

const find = statement('connector.find', `select ${COLUMNS} from connector c where c.connector_id = $1`);
const lock = statement(
  'connector.lock',
  (dialect) => `select ${COLUMNS} from connector c where c.connector_id = $1 ${dialect.forUpdate}`,
);
const findByPrefix = statement(
  'connector.find_by_prefix',
  'select c.connector_id as "connectorId" from connector c where c.creator_id = $1 and c.prefix = $2',
);
const listOfOwner = statement(
  'connector.list_of_owner',
  `select ${COLUMNS} from connector c where c.creator_id = $1 order by c.created_at, c.connector_id`,
);
const listAll = statement(
  'connector.list',
  `select ${COLUMNS} from connector c where c.connector_id > $1 order by c.connector_id limit $2`,
);
const insert = recorded(
  connectorTable.insert('connector.insert', {
    conflict: 'on conflict (creator_id, prefix) do nothing',
  }),
);
const update = recorded(connectorTable.update('connector.update', ['connectorId'], CHANGEABLE));
const remove = recorded(statement('connector.delete', 'delete from connector where connector_id = $1'));

const listMappingRows = statement(
  'connector_mapping.list',
  (dialect) => `select ${mappingTable.select('m')} from connector_mapping m
    where m.connector_id ${dialect.among('$1')} order by m.connector_id, m.kind, m.external_id`,
);
const setMappingRows = recorded(
  mappingTable.insert('connector_mapping.set', {
    conflict: 'on conflict (connector_id, kind, external_id) do update set target = excluded.target',
  }),
);
const removeMappingRows = recorded(
  statement(
    'connector_mapping.delete',
    (dialect) => `delete from connector_mapping where (connector_id, kind, external_id) in
    (select r.connector_id, r.kind, r.external_id
     from ${dialect.table('$1', { connector_id: 'text', kind: 'text', external_id: 'text' })} r)`,
  ),
);
const clearMappings = recorded(
  statement('connector_mapping.clear', 'delete from connector_mapping where connector_id = $1'),
);

const countRejection = statement(
  'connector_rejection.count',
  `insert into connector_rejection (connector_id, rejected, last_rejected_at, last_rejection) values ($1, 1, $2, $3)
   on conflict (connector_id) do update set rejected = connector_rejection.rejected + 1,
     last_rejected_at = excluded.last_rejected_at, last_rejection = excluded.last_rejection`,
);
const listRejectionRows = statement(
  'connector_rejection.list',
  (dialect) => `select ${rejectionTable.select('r')} from connector_rejection r
    where r.connector_id ${dialect.among('$1')}`,
);
const clearRejections = statement(
  'connector_rejection.clear',
  'delete from connector_rejection where connector_id = $1',
);

const restored = (row: StoredRow | undefined) => row && connectorTable.restore<Connector>(row);
const inScope = (connector: Connector | undefined, { creatorId }: Scope) =>
  connector !== undefined && (creatorId === null || connector.creatorId === creatorId) ? connector : undefined;

/** A connector within a scope. */
export async function findConnector(sql: Sql, connectorId: string, scope: Scope): Promise<Connector | undefined> {
  return inScope(restored(await sql.first<StoredRow>(find, connectorId)), scope);
}

/** The same, locked until the transaction ends. */
export async function lockConnector(tx: Tx, connectorId: string, scope: Scope): Promise<Connector | undefined> {
  return inScope(restored(await tx.first<StoredRow>(lock, connectorId)), scope);
}

/** Whether an owner has a connector with a prefix; null is the operator. */
export async function isPrefixTaken(sql: Sql, creatorId: string | null, prefix: string): Promise<boolean> {
  return (await sql.first(findByPrefix, creatorId ?? '', prefix)) !== undefined;
}

/** The connectors of an owner, the oldest first; null is the operator. */
export async function listConnectorsOf(sql: Sql, creatorId: string | null): Promise<readonly Connector[]> {
  const rows = await sql.all<StoredRow>(listOfOwner, creatorId ?? '');
  return rows.map((row) => connectorTable.restore<Connector>(row));
}

/** Connectors of all owners after an id ('' is before all), in the order of their ids. */
export async function listConnectorsAfter(sql: Sql, connectorId: string, most: number): Promise<readonly Connector[]> {
  const rows = await sql.all<StoredRow>(listAll, connectorId, most);
  return rows.map((row) => connectorTable.restore<Connector>(row));
}

/** Adds a connector; false if its owner has one with this prefix. */
export async function insertConnector(tx: RecordedTx, connector: Connector): Promise<boolean> {
  return (await tx.run(insert, connectorTable.rows([connector], connectorTable.fields))) === 1;
}

/** Writes the fields of a locked connector. */
export async function updateConnector(tx: RecordedTx, connector: Connector): Promise<void> {
  await tx.run(update, connectorTable.rows([connector], ['connectorId', ...CHANGEABLE]));
}

/** Deletes a locked connector with its mappings and the count of its rejections. */
export async function deleteConnector(tx: RecordedTx, connectorId: string): Promise<void> {
  await tx.run(clearMappings, connectorId);
  await tx.run(clearRejections, connectorId);
  await tx.run(remove, connectorId);
}

/** The mappings of connectors, by connectorId. */
export async function listMappings(
  sql: Sql,
  connectorIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Mapping[]>> {
  const rows = await sql.all<StoredRow>(listMappingRows, listOf(connectorIds));
  const restoredRows = rows.map((row) => mappingTable.restore<MappingRow>(row));
  const grouped = Map.groupBy(restoredRows, ({ connectorId }) => connectorId);
  return new Map(
    connectorIds.map((connectorId) => [
      connectorId,
      (grouped.get(connectorId) ?? []).map(({ match, id, target }) => ({
        match,
        id: match === 'any' ? null : id,
        target,
      })),
    ]),
  );
}

/** The mappings of one connector. */
export async function mappingsOf(sql: Sql, connectorId: string): Promise<readonly Mapping[]> {
  return (await listMappings(sql, [connectorId])).get(connectorId) ?? [];
}

/**
 * Adds mappings to a locked connector, or replaces those with the same name; of several with one name the last counts.
 */
export async function setMappings(tx: RecordedTx, connectorId: string, mappings: readonly Mapping[]): Promise<void> {
  if (mappings.length === 0) return;
  const rows = mappings.map(({ match, id, target }) => ({ connectorId, match, id: id ?? '', target }));
  const byName = new Map(rows.map((row) => [`${row.match} ${row.id}`, row]));
  await tx.run(setMappingRows, mappingTable.rows([...byName.values()], mappingTable.fields));
}

/** Removes mappings from a locked connector. */
export async function removeMappings(
  tx: RecordedTx,
  connectorId: string,
  mappings: readonly Pick<Mapping, 'match' | 'id'>[],
): Promise<void> {
  if (mappings.length === 0) return;
  await tx.run(removeMappingRows, tableOf(mappings.map(({ match, id }) => [connectorId, match, id ?? ''])));
}

/** Counts a request whose signature was not valid. */
export async function noteRejection(
  tx: Tx,
  { connectorId, lastRejectedAt, lastRejection }: Omit<Rejections, 'rejected'>,
): Promise<void> {
  await tx.run(countRejection, connectorId, lastRejectedAt, lastRejection);
}

/** The rejections of connectors that had any, by connectorId. */
export async function listRejections(
  sql: Sql,
  connectorIds: readonly string[],
): Promise<ReadonlyMap<string, Rejections>> {
  const rows = await sql.all<StoredRow>(listRejectionRows, listOf(connectorIds));
  return new Map(rows.map((row) => rejectionTable.restore<Rejections>(row)).map((each) => [each.connectorId, each]));
}
