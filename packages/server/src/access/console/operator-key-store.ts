/** Stored operator keys: by hash only. */
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList } from '../../storage/contract/list.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { flagColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { OperatorKey } from './operator-key.ts';

const operatorKeyTable = new Table<OperatorKey>('operator_key', {
  hash: textColumn('hash'),
  name: textColumn('name'),
  role: textColumn('role'),
  active: flagColumn('active'),
  createdAt: textColumn('created_at'),
  revokedAt: textColumn('revoked_at'),
  expiresAt: textColumn('expires_at'),
  lastUsedAt: textColumn('last_used_at'),
});

const COLUMNS = operatorKeyTable.select('k');

const find = statement('operator_key.find', `select ${COLUMNS} from operator_key k where k.hash = $1`);

const list = new FilteredList('operator_key.list', `select ${COLUMNS} from operator_key k`, 'k', 'hash', {});

const insert = recorded(operatorKeyTable.insert('operator_key.insert'));

const deactivate = recorded(
  statement(
    'operator_key.deactivate',
    'update operator_key set active = 0, revoked_at = $2 where hash = $1 and active = 1',
  ),
);

const keepUse = statement('operator_key.keep_use', 'update operator_key set last_used_at = $2 where hash = $1');

/** The key with this hash, revoked or not. */
export async function findOperatorKey(sql: Sql, hash: string): Promise<OperatorKey | undefined> {
  const row = await sql.first<StoredRow>(find, hash);
  return row && operatorKeyTable.restore(row);
}

/** A page of all keys, newest first. */
export async function listKeysOfOperators(sql: Sql, after: PageCursor, limit: number): Promise<OperatorKey[]> {
  const rows = await list.page<StoredRow>(sql, {}, after, limit);
  return rows.map((row) => operatorKeyTable.restore(row));
}

/** Adds a key. */
export async function insertOperatorKey(tx: RecordedTx, key: OperatorKey): Promise<void> {
  await tx.run(insert, operatorKeyTable.rows([key], operatorKeyTable.fields));
}

/** Revokes the key with this hash; returns whether it was active. */
export async function deactivateOperatorKey(tx: RecordedTx, hash: string, at: string): Promise<boolean> {
  return (await tx.run(deactivate, hash, at)) === 1;
}

/** Stores the last use of a key. */
export async function keepKeyUse(tx: Tx, hash: string, at: string): Promise<void> {
  await tx.run(keepUse, hash, at);
}
