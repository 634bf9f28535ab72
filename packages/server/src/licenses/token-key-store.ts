/** The keys that sign session tokens, as they are stored. */
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import type { TokenKey } from './token.ts';

/** A key as it is stored. */
export interface StoredTokenKey extends TokenKey {
  /** The longest that any node has let tokens of this key live; null where that was not kept yet. */
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
const remove = statement('token_key.delete', 'delete from token_key where key_id = $1');

/** All keys, in the order in which they begin to sign. */
export function listStoredTokenKeys(sql: Sql): Promise<StoredTokenKey[]> {
  return sql.all<StoredTokenKey>(list);
}

/** Adds a key, unless there is one with this id. */
export async function insertTokenKey(
  tx: Tx,
  { keyId, secret, signsFrom, longestLifetimeMs }: StoredTokenKey,
  createdAt: string,
): Promise<void> {
  await tx.run(insert, keyId, secret, createdAt, signsFrom, longestLifetimeMs);
}

/** Keeps that tokens of a key may live so long. */
export async function raiseTokenLifetime(tx: Tx, keyId: string, lifetimeMs: number): Promise<void> {
  await tx.run(raiseLifetime, keyId, lifetimeMs);
}

/** Removes a key; answers whether it was there. */
export async function deleteTokenKey(tx: Tx, keyId: string): Promise<boolean> {
  return (await tx.run(remove, keyId)) === 1;
}
