/**
 * The keys that sign license files (rules 11.2): created once and shared by all nodes through the database, or read
 * from a file. Each node caches them in memory and reads them again once a minute. All keys are published, so that
 * files of each can be verified; the newest key whose time has come signs.
 */
import { type Clock, fromTimestamp, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintGroups, mintSecret } from '../../ground/base/random.ts';
import type { Sql, Storage, Tx } from '../../storage/contract/storage.ts';
import { type PublicKey, type SigningKey, signingKeyOf, signingKeysIn, signJws } from './signing-key.ts';
import {
  claimInstallation,
  deleteSigningKeys,
  findInstallation,
  insertSigningKey,
  listSigningKeys,
  type StoredSigningKey,
} from './signing-key-store.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** The keys that sign license files. */
    readonly signingKeys: SigningKeys;
  }
}

/** Maximum age of the keys in memory. */
const REFRESH_MS = MINUTE_MS;
/** A clock that steps back by more than this makes a node read the keys again. */
const STEP_BACK_MS = 1000;
/** Minimum delay before a new key signs, until every node has read and publishes it. */
const SPREAD_MS = 2 * REFRESH_MS;

const KEY_LIST_TYPE = 'latchkey-keys+jwt';

/** The public view of the keys. */
export interface PublishedKeys {
  /** A JSON Web Key Set (RFC 7517). */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, string>>[] };
  /** The same list signed by each key, so that a client with one trusted key learns the others. */
  readonly keyList: { readonly keys: readonly string[] };
}

/** A key as operators see it. */
export interface SigningKeyState extends PublicKey {
  /** Milliseconds since 1970; infinite for keys of the operator's own file. */
  readonly signsFrom: number;
  readonly use: 'signs' | 'will sign' | 'verifies';
}

/** The signing key at a given time: the newest whose time has come, or the first key if none has. */
function signerAt(keys: readonly SigningKey[], now: number): SigningKey {
  const signer = keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
  if (signer === undefined) throw new Error('there is no key to sign license files with');
  return signer;
}

export class SigningKeys {
  readonly #given: readonly SigningKey[] | null;
  #stored: readonly SigningKey[] = [];
  #issuer = '';
  #readAt = Number.NEGATIVE_INFINITY;

  /** @param pem the keys of the operator's own file; null uses the keys of the database */
  constructor(pem: string | null = null) {
    this.#given = pem === null ? null : signingKeysIn(pem);
  }

  get #keys(): readonly SigningKey[] {
    return this.#given ?? this.#stored;
  }

  /** The issuer: `urn:latchkey:` and the name of the installation. Read the keys first. */
  get issuer(): string {
    return this.#issuer;
  }

  /**
   * Reads the keys; on the first start, names the installation and creates its first key. Call before the first
   * request.
   */
  async open(storage: Storage, clock: Clock): Promise<void> {
    await storage.transaction(async (tx) => {
      const now = clock();
      if (await claimInstallation(tx, mintGroups(1, 16).toLowerCase())) await insertSigningKey(tx, newKey(now, now));
      await this.#read(tx, now);
    });
  }

  /** Reads the keys again when they are old. */
  async refresh(sql: Sql, now: number): Promise<void> {
    const age = now - this.#readAt;
    if (age > REFRESH_MS || age < -STEP_BACK_MS) await this.#read(sql, now);
  }

  /** Signs with the signing key at `now`, milliseconds since 1970; returns the compact JWS and the key's id. */
  sign(type: string, payload: object, now: number): { readonly signed: string; readonly keyId: string } {
    const key = signerAt(this.#keys, now);
    return { signed: signJws(key, type, payload), keyId: key.kid };
  }

  /** The id of the signing key at a given time. */
  signerId(now: number): string {
    return signerAt(this.#keys, now).kid;
  }

  /** The published keys at a given time. */
  published(now: number): PublishedKeys {
    const keys: PublicKey[] = this.#keys.map(({ kid, x }) => ({ kid, x }));
    const payload = { iss: this.#issuer, iat: Math.floor(now / 1000), keys };
    return {
      jwks: { keys: keys.map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' })) },
      keyList: { keys: this.#keys.map((key) => signJws(key, KEY_LIST_TYPE, payload)) },
    };
  }

  /** The keys and their use at a given time, oldest first. */
  described(now: number): readonly SigningKeyState[] {
    const signer = signerAt(this.#keys, now);
    return this.#keys.map((key) => {
      const { kid, x, signsFrom } = key;
      const use = key === signer ? 'signs' : signsFrom > now && this.#given === null ? 'will sign' : 'verifies';
      return { kid, x, signsFrom, use };
    });
  }

  async #read(sql: Sql, now: number): Promise<void> {
    const [installation, stored] = await Promise.all([findInstallation(sql), listSigningKeys(sql)]);
    this.#issuer = `urn:latchkey:${installation}`;
    this.#stored = stored.map(({ secret, signsFrom }) => signingKeyOf(secret, fromTimestamp(signsFrom)));
    this.#readAt = now;
  }
}

function newKey(now: number, signsFrom: number): StoredSigningKey {
  const secret = mintSecret(32);
  const { kid } = signingKeyOf(secret, signsFrom);
  return { keyId: kid, secret, createdAt: toTimestamp(now), signsFrom: toTimestamp(signsFrom) };
}

/**
 * Adds a key that is published at once and signs later, so that apps know it by then.
 *
 * @param afterMs delay before it signs, at least {@link SPREAD_MS}
 */
export async function rotateSigningKey(
  tx: Tx,
  now: number,
  afterMs: number,
): Promise<{ readonly keyId: string; readonly signsFrom: string }> {
  const key = newKey(now, now + Math.max(afterMs, SPREAD_MS));
  await insertSigningKey(tx, key);
  return { keyId: key.keyId, signsFrom: key.signsFrom };
}

/** Removes compromised keys; if none is left, a new one signs at once. */
export async function dropSigningKeys(tx: Tx, keyIds: readonly string[], now: number): Promise<void> {
  await deleteSigningKeys(tx, keyIds);
  if ((await listSigningKeys(tx)).length === 0) await insertSigningKey(tx, newKey(now, now));
}
