/**
 * The keys that sign session tokens: made once, shared by all nodes through the database, changed by command. Each node
 * keeps them in memory and reads them again once a minute, and at once when a token names a key it does not know.
 */
import { type Clock, DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../clock.ts';
import type { Origin, Recorded } from '../events/event.ts';
import { recordChanges } from '../events/record.ts';
import { mintId, mintSecret } from '../random.ts';
import type { Sql, Storage, Tx } from '../storage/storage.ts';
import { keyIdOf, type PreparedKey, prepareKey, readToken, signToken, type TokenClaims } from './token.ts';
import {
  deleteTokenKey,
  insertTokenKey,
  listStoredTokenKeys,
  raiseTokenLifetime,
  type StoredTokenKey,
} from './token-key-store.ts';

/** The first key's name is fixed: of two nodes that start together on an empty database only one makes it. */
const FIRST_KEY_ID = 'first';
/** The longest lifetime that LATCHKEY_TOKEN_LIFETIME takes. */
export const LONGEST_TOKEN_LIFETIME_MS = 366 * DAY_MS;
/** How old the keys in memory may be. */
const REFRESH_MS = MINUTE_MS;
/** Unknown key ids make a node look again at most this often, so that forged tokens cannot keep the database busy. */
const LOOK_AGAIN_MS = 1000;
/** A new key checks at once and signs after this, when every node has read it. */
const SPREAD_MS = 2 * REFRESH_MS;

/** The key that signs at a moment: the newest whose time has come, or the first to come where no clock is that far. */
function signerAt<Key extends { readonly signsFrom: string }>(keys: readonly Key[], now: number): Key | undefined {
  return keys.findLast(({ signsFrom }) => fromTimestamp(signsFrom) <= now) ?? keys[0];
}

export class TokenKeys {
  readonly #lifetimeMs: number;
  #keys: ReadonlyMap<string, PreparedKey> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  /** Whether all keys that this node may sign with are known to check tokens for as long as this node lets them live. */
  #isLifetimeKept = false;

  /** @param lifetimeMs how long the tokens live that this node signs */
  constructor(lifetimeMs: number = LONGEST_TOKEN_LIFETIME_MS) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Reads the keys; makes the first one where there is none. Call before the first request. */
  async open(storage: Storage, clock: Clock): Promise<void> {
    const keys = await storage.read(listStoredTokenKeys);
    await storage.transaction(async (tx) => {
      const now = clock();
      if (keys.length === 0) await addKey(tx, FIRST_KEY_ID, now, now, this.#lifetimeMs);
      await this.#read(tx, now);
    });
  }

  /**
   * Reads the keys again when they are old, or when a token names a key that is not among them.
   *
   * @param tx also written to when this node lets tokens live for longer than was known of a key
   */
  async refresh(tx: Tx, tokens: Iterable<string>, now: number): Promise<void> {
    const age = now - this.#readAt;
    // A clock that steps back must not make the keys look young for longer: a dropped one would go on being accepted.
    if (age > REFRESH_MS || age < -LOOK_AGAIN_MS || !this.#isLifetimeKept) return this.#read(tx, now);
    if (age < LOOK_AGAIN_MS) return;
    for (const token of tokens) {
      const keyId = keyIdOf(token, this.#keys);
      if (keyId !== null && !this.#keys.has(keyId)) return this.#read(tx, now);
    }
  }

  /** Signs with the newest key whose time has come. */
  sign(claims: TokenClaims, now: number): string {
    const key = signerAt([...this.#keys.values()], now);
    if (key === undefined) throw new Error('there is no key to sign session tokens with');
    return signToken(claims, key);
  }

  /** The claims of a token of ours that has not expired; null for anything else. */
  check(token: string, now: number): TokenClaims | null {
    const keyId = keyIdOf(token, this.#keys);
    const key = keyId === null ? undefined : this.#keys.get(keyId);
    return key === undefined ? null : readToken(token, key, now);
  }

  async #read(tx: Tx, now: number): Promise<void> {
    const keys = await listStoredTokenKeys(tx);
    this.#keys = new Map(keys.map((key) => [key.keyId, prepareKey(key)]));
    this.#readAt = now;
    const signer = signerAt(keys, now);
    const tooShort = keys
      .slice(signer === undefined ? 0 : keys.indexOf(signer))
      .filter(({ longestLifetimeMs }) => longestLifetimeMs !== null && longestLifetimeMs < this.#lifetimeMs);
    for (const { keyId } of tooShort) await raiseTokenLifetime(tx, keyId, this.#lifetimeMs);
    // Not before it is read back: this transaction, in which the first such token may be signed, may yet be rolled back.
    this.#isLifetimeKept = tooShort.length === 0;
  }
}

function addKey(tx: Tx, keyId: string, now: number, signsFrom: number, longestLifetimeMs: number): Promise<void> {
  const key = { keyId, secret: mintSecret(32), signsFrom: toTimestamp(signsFrom), longestLifetimeMs };
  return insertTokenKey(tx, key, toTimestamp(now));
}

function droppedEvent(keyId: string, origin: Origin): Recorded {
  return { type: 'token_key.dropped', subject: keyId, before: { keyId }, origin };
}

/** When the last token of a key has expired: its successor took over, or a little later on nodes that read of it late. */
function lastExpiryOf(key: StoredTokenKey, successor: StoredTokenKey): number {
  return fromTimestamp(successor.signsFrom) + SPREAD_MS + (key.longestLifetimeMs ?? LONGEST_TOKEN_LIFETIME_MS);
}

/**
 * Rotates: adds a key that signs from two minutes on, and drops keys whose last token has expired.
 *
 * @param believableNow the time by which keys may be dropped (believed-time/); null: none may
 * @param tokenLifetimeMs how long the tokens of this installation live; nodes that let them live longer say so themselves
 * @returns how many keys there are now and when the new one begins to sign
 */
export async function rotateTokenKeys(
  tx: Tx,
  { origin, believableNow }: { readonly origin: Origin; readonly believableNow: number | null },
  tokenLifetimeMs: number,
): Promise<{ keys: number; signsFrom: string }> {
  const { now } = origin;
  const keys = await listStoredTokenKeys(tx);
  const dropped: Recorded[] = [];
  for (const [index, key] of keys.entries()) {
    const successor = keys[index + 1];
    // In their order: when a key stopped signing is known from the one after it.
    if (successor === undefined || believableNow === null || lastExpiryOf(key, successor) > believableNow) break;
    if (await deleteTokenKey(tx, key.keyId)) dropped.push(droppedEvent(key.keyId, origin));
  }
  await recordChanges(tx, dropped);
  await addKey(tx, mintId(), now, now + SPREAD_MS, tokenLifetimeMs);
  return { keys: keys.length - dropped.length + 1, signsFrom: toTimestamp(now + SPREAD_MS) };
}

/**
 * Drops a key that others may know: every node refuses its tokens within a minute. Where it is the key that signs, a new
 * one signs at once, unknown to most nodes; they look for it when they meet its first token.
 *
 * @param tokenLifetimeMs as for {@link rotateTokenKeys}
 * @returns the id of the new key, or null where none was needed; 'unknown' when there is no key with this id
 */
export async function dropTokenKey(
  tx: Tx,
  keyId: string,
  origin: Origin,
  tokenLifetimeMs: number,
): Promise<{ replacedBy: string | null } | 'unknown'> {
  const { now } = origin;
  const signer = signerAt(await listStoredTokenKeys(tx), now);
  if (!(await deleteTokenKey(tx, keyId))) return 'unknown';
  await recordChanges(tx, [droppedEvent(keyId, origin)]);
  if (signer?.keyId !== keyId) return { replacedBy: null };
  const replacedBy = mintId();
  await addKey(tx, replacedBy, now, now, tokenLifetimeMs);
  return { replacedBy };
}

/** What an operator may see of a key. Timestamps. */
export interface TokenKeyState {
  readonly keyId: string;
  readonly signsFrom: string;
  readonly use: 'signs' | 'will sign' | 'checks';
  /** When its last token has expired; null while it signs or will. */
  readonly checksUntil: string | null;
}

/** The keys there are, without their secrets, the oldest first. */
export async function listTokenKeys(sql: Sql, now: number): Promise<TokenKeyState[]> {
  const keys = await listStoredTokenKeys(sql);
  const signer = signerAt(keys, now);
  const signing = signer === undefined ? 0 : keys.indexOf(signer);
  return keys.map((key, index) => {
    const successor = keys[index + 1];
    return {
      keyId: key.keyId,
      signsFrom: key.signsFrom,
      use: index === signing ? 'signs' : index > signing ? 'will sign' : 'checks',
      checksUntil: index < signing && successor !== undefined ? toTimestamp(lastExpiryOf(key, successor)) : null,
    };
  });
}
