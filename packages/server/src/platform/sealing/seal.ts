/**
 * Seals secrets that the service must read again, such as those that sign, under a separate key. The database does not
 * hold the key, so that nobody can use them with a stolen backup. The key does not depend on the admin secret, whose
 * replacement must not stop deliveries.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { mintBytes } from '../../ground/base/random.ts';

declare module '../endpoint/rule-context.ts' {
  interface Settings {
    /** The key that seals the secrets of destinations and connectors; null: none of them can be made. Secret. */
    readonly secretsKey: SecretsKey | null;
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key that seals secrets: 32 bytes. */
export type SecretsKey = Uint8Array;

/** Seals a secret; only the same owner, such as a destination, can open it. */
export function sealSecret(secret: string, ownerId: string, key: SecretsKey): string {
  const nonce = mintBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(ownerId));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a sealed secret; null if it was sealed with another key or changed. */
export function openSecret(sealed: string, ownerId: string, key: SecretsKey): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(ownerId));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
