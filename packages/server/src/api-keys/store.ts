/** API keys as they are stored: by hash only. */
import type { PagePlace } from '../endpoint/page.ts';
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import type { ApiKey } from './api-key.ts';

/** A row as it is stored: `active` is 0 or 1. */
interface ApiKeyRow extends Omit<ApiKey, 'active'> {
  readonly active: number;
}

const COLUMNS = `k.hash as "hash", k.name as "name", k.creator_id as "creatorId", k.active as "active",
  k.created_at as "createdAt"`;

const findActive = statement(
  'api_key.find_active',
  'select creator_id as "creatorId" from api_key where hash = $1 and active = 1',
);

const find = statement('api_key.find', 'select k.hash as "hash" from api_key k where k.hash = $1');

const insert = statement(
  'api_key.insert',
  'insert into api_key (hash, name, creator_id, active, created_at) values ($1, $2, $3, $4, $5)',
);

const deactivate = statement('api_key.deactivate', 'update api_key set active = 0 where hash = $1 and active = 1');

const deactivateOfCreator = statement(
  'api_key.deactivate_of_creator',
  'update api_key set active = 0 where creator_id = $1 and active = 1',
);

// Two statements, because a filter that may be absent could not use its index.
const listAll = statement(
  'api_key.list',
  `select ${COLUMNS} from api_key k where (k.created_at, k.hash) < ($1, $2)
   order by k.created_at desc, k.hash desc limit $3`,
);

const listOfCreator = statement(
  'api_key.list_of_creator',
  `select ${COLUMNS} from api_key k where (k.created_at, k.hash) < ($1, $2) and k.creator_id = $4
   order by k.created_at desc, k.hash desc limit $3`,
);

/** The creator whose active key has this hash. */
export async function findCreatorByKey(sql: Sql, hash: string): Promise<string | undefined> {
  return (await sql.first<{ creatorId: string }>(findActive, hash))?.creatorId;
}

/** Whether a key with this hash was ever made, revoked or not. */
export async function hasApiKey(sql: Sql, hash: string): Promise<boolean> {
  return (await sql.first(find, hash)) !== undefined;
}

/** Adds a key. */
export async function insertApiKey(tx: Tx, { hash, name, creatorId, active, createdAt }: ApiKey): Promise<void> {
  await tx.run(insert, hash, name, creatorId, active ? 1 : 0, createdAt);
}

/** Revokes the key with this hash; answers whether it was active. */
export async function revokeKey(tx: Tx, hash: string): Promise<boolean> {
  return (await tx.run(deactivate, hash)) === 1;
}

/** Revokes every active key of a creator; answers how many there were. */
export function revokeKeysOfCreator(tx: Tx, creatorId: string): Promise<number> {
  return tx.run(deactivateOfCreator, creatorId);
}

/** A page of keys, newest first: everybody's, or one creator's. */
export async function listKeys(
  sql: Sql,
  creatorId: string | undefined,
  after: PagePlace,
  limit: number,
): Promise<ApiKey[]> {
  const rows =
    creatorId === undefined
      ? await sql.all<ApiKeyRow>(listAll, after.createdAt, after.id, limit)
      : await sql.all<ApiKeyRow>(listOfCreator, after.createdAt, after.id, limit, creatorId);
  return rows.map((row) => ({ ...row, active: row.active === 1 }));
}
