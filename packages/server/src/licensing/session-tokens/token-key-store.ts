/** Stored keys that sign session tokens. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { TokenKey } from './token.ts';

/** A stored key. */
export interface StoredTokenKey extends TokenKey {
  /** Longest lifetime that any node has given tokens of this key; null if it was never stored. */
  readonly longestLifetimeMs: number | null;
}

const list = statement(
  'token_key.list',
  `select key_id as "keyId", secret, signs_from as "signsFrom", longest_lifetime_ms as "longestLifetimeMs"
   from token_key order by signs_from, key_id`,
);
const insert = statement(
  'token_key.insert',
  `insert into token_key (key_id, secret, created_at, signs_from, longest_lifetime_ms) values ($1, $2, $3, $4, $5)
   on conflict (key_id) do nothing`,
);
const raiseLifetime = statement(
  'token_key.raise_lifetime',
  'update token_key set longest_lifetime_ms = $2 where key_id = $1 and longest_lifetime_ms < $2',
);
const remove = recorded(statement('token_key.delete', 'delete from token_key where key_id = $1'));

/** All keys, in the order of their signing start. */
export function listStoredTokenKeys(sql: Sql): Promise<StoredTokenKey[]> {
  return sql.all<StoredTokenKey>(list);
}

/** Adds a key, unless one with its id exists. */
export async function insertTokenKey(
  tx: Tx,
  { keyId, secret, signsFrom, longestLifetimeMs }: StoredTokenKey,
  createdAt: string,
): Promise<void> {
  await tx.run(insert, keyId, secret, createdAt, signsFrom, longestLifetimeMs);
}

/** Raises the stored token lifetime of a key. */
export async function raiseTokenLifetime(tx: Tx, keyId: string, lifetimeMs: number): Promise<void> {
  await tx.run(raiseLifetime, keyId, lifetimeMs);
}

/** Removes a key; returns whether it existed. */
export async function deleteTokenKey(tx: RecordedTx, keyId: string): Promise<boolean> {
  return (await tx.run(remove, keyId)) === 1;
}
