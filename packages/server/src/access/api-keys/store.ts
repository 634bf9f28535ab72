/** Stored API keys: by hash only. */
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList } from '../../storage/contract/list.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement } from '../../storage/contract/storage.ts';
import { flagColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { ApiKey } from './api-key.ts';

const apiKeyTable = new Table<ApiKey>('api_key', {
  hash: textColumn('hash'),
  name: textColumn('name'),
  creatorId: textColumn('creator_id'),
  active: flagColumn('active'),
  createdAt: textColumn('created_at'),
  revokedAt: textColumn('revoked_at'),
});

const COLUMNS = apiKeyTable.select('k');

const find = statement('api_key.find', `select ${COLUMNS} from api_key k where k.hash = $1`);

const insert = recorded(apiKeyTable.insert('api_key.insert'));

const deactivate = recorded(
  statement('api_key.deactivate', 'update api_key set active = 0, revoked_at = $2 where hash = $1 and active = 1'),
);

const deactivateOfCreator = recorded(
  statement(
    'api_key.deactivate_of_creator',
    'update api_key set active = 0, revoked_at = $2 where creator_id = $1 and active = 1',
  ),
);

const list = new FilteredList('api_key.list', `select ${COLUMNS} from api_key k`, 'k', 'hash', {
  creator: 'creator_id',
});

/** The key with this hash, revoked or not. */
export async function findApiKey(sql: Sql, hash: string): Promise<ApiKey | undefined> {
  const row = await sql.first<StoredRow>(find, hash);
  return row && apiKeyTable.restore(row);
}

/** Adds a key. */
export async function insertApiKey(tx: RecordedTx, key: ApiKey): Promise<void> {
  await tx.run(insert, apiKeyTable.rows([key], apiKeyTable.fields));
}

/** Revokes the key with this hash; returns whether it was active. */
export async function revokeKey(tx: RecordedTx, hash: string, at: string): Promise<boolean> {
  return (await tx.run(deactivate, hash, at)) === 1;
}

/** Revokes every active key of a creator; returns their number. */
export function revokeKeysOfCreator(tx: RecordedTx, creatorId: string, at: string): Promise<number> {
  return tx.run(deactivateOfCreator, creatorId, at);
}

/** A page of keys, newest first: of all creators or of one. */
export async function listKeys(
  sql: Sql,
  creatorId: string | undefined,
  after: PageCursor,
  limit: number,
): Promise<ApiKey[]> {
  const rows = await list.page<StoredRow>(sql, { creator: creatorId }, after, limit);
  return rows.map((row) => apiKeyTable.restore(row));
}
