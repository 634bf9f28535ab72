/**
 * The keys that sign session tokens: created once, shared by all nodes through the database, changed by command. Each
 * node caches them in memory and reads them again once a minute, and at once when a token names an unknown key.
 */
import { type Clock, DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintId, mintSecret } from '../../ground/base/random.ts';
import type { Origin, Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Sql, Storage, Tx } from '../../storage/contract/storage.ts';
import { keyIdOf, type PreparedKey, prepareKey, readToken, signToken, type TokenClaims } from './token.ts';
import {
  deleteTokenKey,
  insertTokenKey,
  listStoredTokenKeys,
  raiseTokenLifetime,
  type StoredTokenKey,
} from './token-key-store.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    readonly tokenKeys: TokenKeys;
  }
}

/** The fixed id of the first key, so that only one of two nodes that start on an empty database creates it. */
const FIRST_KEY_ID = 'first';
/** The maximum of LATCHKEY_TOKEN_LIFETIME. */
export const LONGEST_TOKEN_LIFETIME_MS = 366 * DAY_MS;
/** Maximum age of the keys in memory. */
const REFRESH_MS = MINUTE_MS;
/** Minimum interval between two reads for an unknown key id, so that forged tokens cannot overload the database. */
const LOOK_AGAIN_MS = 1000;
/** A new key checks at once and signs after this delay, when every node has read it. */
const SPREAD_MS = 2 * REFRESH_MS;

/** The signing key at a given time: the newest whose time has come, or the earliest key if none has. */
function signerAt<Key extends { readonly signsFrom: string }>(keys: readonly Key[], now: number): Key | undefined {
  return keys.findLast(({ signsFrom }) => fromTimestamp(signsFrom) <= now) ?? keys[0];
}

export class TokenKeys {
  readonly #lifetimeMs: number;
  #keys: ReadonlyMap<string, PreparedKey> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  /** Whether every key this node may sign with is stored with at least this node's token lifetime. */
  #isLifetimeKept = false;

  /** @param lifetimeMs lifetime of the tokens that this node signs */
  constructor(lifetimeMs: number = LONGEST_TOKEN_LIFETIME_MS) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Reads the keys; creates the first one in an empty database. Call before the first request. */
  async open(storage: Storage, clock: Clock): Promise<void> {
    const keys = await storage.read(listStoredTokenKeys);
    await storage.transaction(async (tx) => {
      const now = clock();
      if (keys.length === 0) await addKey(tx, FIRST_KEY_ID, now, now, this.#lifetimeMs);
      await this.#read(tx, now);
    });
  }

  /**
   * Reads the keys again when they are old, or when a token names an unknown key.
   *
   * @param tx also written to when this node's token lifetime exceeds the stored one of a key
   */
  async refresh(tx: Tx, tokens: Iterable<string>, now: number): Promise<void> {
    const age = now - this.#readAt;
    // A clock that steps back must not extend the age limit of the cached keys: a dropped key would stay accepted.
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

  /** The claims of an unexpired token signed by one of the keys; null for anything else. */
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
    // Set only after a read shows it, because this transaction may still roll back after signing the first such token.
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

/** Expiry of a key's last token, counted from its successor's start plus the delay until the last node reads it. */
function lastExpiryOf(key: Pick<StoredTokenKey, 'longestLifetimeMs'>, successor: StoredTokenKey): number {
  return fromTimestamp(successor.signsFrom) + SPREAD_MS + (key.longestLifetimeMs ?? LONGEST_TOKEN_LIFETIME_MS);
}

/**
 * Rotates the keys: adds one that signs after two minutes, and drops those whose last token has expired.
 *
 * @param believableNow the time that decides which keys may be dropped (believed-time/); null drops none
 * @param tokenLifetimeMs token lifetime of this installation; nodes with a longer one store it themselves
 * @returns the number of keys and the time from which the new one signs
 */
export async function rotateTokenKeys(
  tx: Tx,
  { origin, believableNow }: { readonly origin: Origin; readonly believableNow: number | null },
  tokenLifetimeMs: number,
): Promise<{ keys: number; signsFrom: string }> {
  const { now } = origin;
  const keys = await listStoredTokenKeys(tx);
  const dropped = await recording(
    tx,
    (keyIds: readonly string[]) => keyIds.map((keyId) => droppedEvent(keyId, origin)),
    async (tx) => {
      const keyIds: string[] = [];
      for (const [index, { keyId, ...key }] of keys.entries()) {
        const successor = keys[index + 1];
        // In order, because the start of the next key shows when a key stopped signing.
        if (successor === undefined || believableNow === null || lastExpiryOf(key, successor) > believableNow) break;
        if (await deleteTokenKey(tx, keyId)) keyIds.push(keyId);
      }
      return keyIds;
    },
  );
  await addKey(tx, mintId(), now, now + SPREAD_MS, tokenLifetimeMs);
  return { keys: keys.length - dropped.length + 1, signsFrom: toTimestamp(now + SPREAD_MS) };
}

/**
 * Drops a compromised key: every node refuses its tokens within a minute. If it is the signing key, a new one signs at
 * once; other nodes read it when they receive its first token.
 *
 * @param tokenLifetimeMs as for {@link rotateTokenKeys}
 * @returns the id of the new key; null when none was needed; 'unknown' when no key has this id
 */
export async function dropTokenKey(
  tx: Tx,
  keyId: string,
  origin: Origin,
  tokenLifetimeMs: number,
): Promise<{ replacedBy: string | null } | 'unknown'> {
  const { now } = origin;
  const signer = signerAt(await listStoredTokenKeys(tx), now);
  const isDropped = await recording(
    tx,
    (isDropped) => (isDropped ? [droppedEvent(keyId, origin)] : []),
    (tx) => deleteTokenKey(tx, keyId),
  );
  if (!isDropped) return 'unknown';
  if (signer?.keyId !== keyId) return { replacedBy: null };
  const replacedBy = mintId();
  await addKey(tx, replacedBy, now, now, tokenLifetimeMs);
  return { replacedBy };
}

/** A key as operators see it; times are timestamps. */
export interface TokenKeyState {
  readonly keyId: string;
  readonly signsFrom: string;
  readonly use: 'signs' | 'will sign' | 'checks';
  /** Expiry of its last token; null while it signs or will sign. */
  readonly checksUntil: string | null;
}

/** All keys without their secrets, oldest first. */
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
