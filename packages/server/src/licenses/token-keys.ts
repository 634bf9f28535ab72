/**
 * The keys that sign session tokens: made once, shared by all nodes through the database, changed by command. Each node
 * keeps them in memory and reads them again once a minute, and at once when a token names a key it does not know.
 */
import { type Clock, fromTimestamp, MINUTE_MS, toTimestamp } from '../clock.ts';
import { mintId, mintSecret } from '../random.ts';
import { type Sql, type Storage, statement, type Tx } from '../storage/storage.ts';
import {
  keyIdOf,
  type PreparedKey,
  prepareKey,
  readToken,
  signToken,
  type TokenClaims,
  type TokenKey,
} from './token.ts';

const listKeys = statement(
  'token_key.list',
  'select key_id as "keyId", secret, signs_from as "signsFrom" from token_key order by signs_from, key_id',
);
const insertKey = statement(
  'token_key.insert',
  'insert into token_key (key_id, secret, created_at, signs_from) values ($1, $2, $3, $4)',
);
const insertFirstKey = statement(
  'token_key.insert_first',
  `insert into token_key (key_id, secret, created_at, signs_from) values ('first', $1, $2, $2)
   on conflict (key_id) do nothing`,
);
const deleteKey = statement('token_key.delete', 'delete from token_key where key_id = $1');

/** How old the keys in memory may be. */
const REFRESH_MS = MINUTE_MS;
/** Unknown key ids make a node look again at most this often, so that forged tokens cannot keep the database busy. */
const LOOK_AGAIN_MS = 1000;
/** A new key checks at once and signs after this, when every node has read it. */
const SPREAD_MS = 2 * REFRESH_MS;

export class TokenKeys {
  #keys: ReadonlyMap<string, PreparedKey> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;

  /** Reads the keys; makes the first one where there is none. Call before the first request. */
  async open(storage: Storage, clock: Clock): Promise<void> {
    await storage.read((sql) => this.#read(sql, clock()));
    if (this.#keys.size > 0) return;
    // Its name is fixed: of two nodes that start together on an empty database only one makes it, and both read it.
    await storage.transaction((tx) => tx.run(insertFirstKey, mintSecret(32), toTimestamp(clock())));
    await storage.read((sql) => this.#read(sql, clock()));
  }

  /** Reads the keys again when they are old, or when a token names a key that is not among them. */
  async refresh(sql: Sql, tokens: Iterable<string>, now: number): Promise<void> {
    const age = Math.abs(now - this.#readAt);
    if (age > REFRESH_MS) return this.#read(sql, now);
    if (age < LOOK_AGAIN_MS) return;
    for (const token of tokens) {
      const keyId = keyIdOf(token, this.#keys);
      if (keyId !== null && !this.#keys.has(keyId)) return this.#read(sql, now);
    }
  }

  /** Signs with the newest key whose time has come. */
  sign(claims: TokenClaims, now: number): string {
    const keys = [...this.#keys.values()];
    const key = keys.findLast((each) => fromTimestamp(each.signsFrom) <= now) ?? keys[0];
    if (key === undefined) throw new Error('there is no key to sign session tokens with');
    return signToken(claims, key);
  }

  /** The claims of a token of ours that has not expired; null for anything else. */
  check(token: string, now: number): TokenClaims | null {
    const keyId = keyIdOf(token, this.#keys);
    const key = keyId === null ? undefined : this.#keys.get(keyId);
    return key === undefined ? null : readToken(token, key, now);
  }

  async #read(sql: Sql, now: number): Promise<void> {
    const keys = await sql.all<TokenKey>(listKeys);
    this.#keys = new Map(keys.map((key) => [key.keyId, prepareKey(key)]));
    this.#readAt = now;
  }
}

/**
 * Rotates: adds a key that signs from two minutes on, and drops keys whose last token has expired.
 *
 * @param tokenLifetimeMs how long the tokens of this installation live
 * @returns how many keys there are now and when the new one begins to sign
 */
export async function rotateTokenKeys(
  tx: Tx,
  now: number,
  tokenLifetimeMs: number,
): Promise<{ keys: number; signsFrom: string }> {
  const keys = await tx.all<TokenKey>(listKeys);
  let dropped = 0;
  for (const [place, key] of keys.entries()) {
    const successor = keys[place + 1];
    // A key signs until its successor takes over; SPREAD_MS more for nodes that had not yet read of it.
    if (successor === undefined || fromTimestamp(successor.signsFrom) + SPREAD_MS + tokenLifetimeMs > now) break;
    dropped += await tx.run(deleteKey, key.keyId);
  }
  const signsFrom = toTimestamp(now + SPREAD_MS);
  await tx.run(insertKey, mintId(), mintSecret(32), toTimestamp(now), signsFrom);
  return { keys: keys.length - dropped + 1, signsFrom };
}
