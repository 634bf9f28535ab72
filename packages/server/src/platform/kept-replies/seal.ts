/**
 * Seals the replies stored for safe retries. A reply may contain a value that is not stored in the clear anywhere else
 * (a new API key, a license key), so opening one takes two secrets: the caller's Idempotency-Key, which is often easy
 * to guess, and the admin secret, which is not in the database.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { mintBytes } from '../../ground/base/random.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives the keys of this installation: one for each known admin secret, the current one first. The writer thread
 * receives them instead of the secrets, which cannot be computed from them.
 *
 * @param adminSecrets the current admin secret, then the previous one if any
 */
export function deriveSealingKeys(adminSecrets: readonly string[]): readonly Uint8Array[] {
  return adminSecrets.map((secret) => derive(secret, 'latchkey: keys that seal kept replies'));
}

/** The owner of a sealed text; nobody else can open it. */
export interface SealOwner {
  /** The caller's Idempotency-Key. */
  readonly idempotencyKey: string;
  /** The caller's name. */
  readonly caller: string;
}

/**
 * Seals a text with the first of the keys. The result is base64url text.
 *
 * @param sealingKeys from {@link deriveSealingKeys}
 * @throws if there is no key
 */
export function seal(text: string, owner: SealOwner, sealingKeys: readonly Uint8Array[]): string {
  const [sealingKey] = sealingKeys;
  if (sealingKey === undefined) throw new Error('there is no key to seal kept replies with');
  const nonce = mintBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(sealingKey, owner), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a text of {@link seal} with any of the keys; null if no key fits or the text was changed. */
export function open(sealed: string, owner: SealOwner, sealingKeys: readonly Uint8Array[]): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  for (const sealingKey of sealingKeys) {
    const decipher = createDecipheriv(CIPHER, keyOf(sealingKey, owner), bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch {
      // Sealed with another key.
    }
  }
  return null;
}

/** The key of one owner. JSON gives each owner a distinct text. */
function keyOf(sealingKey: Uint8Array, { idempotencyKey, caller }: SealOwner): Uint8Array {
  return derive(sealingKey, JSON.stringify([idempotencyKey, caller]));
}

/**
 * HKDF accepts at most 1024 bytes of purpose; an Idempotency-Key has 255 characters, a caller's name fewer than 100.
 */
function derive(secret: string | Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}
