/**
 * Seals the secrets of destinations under a separate key. The database does not hold the key, so that nobody can sign
 * events with a stolen backup. The key does not depend on the admin secret, whose replacement must not stop deliveries.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { mintBytes } from '../../ground/base/random.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** The key that seals secrets: 32 bytes. */
export type SecretsKey = Uint8Array;

/** A new secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function mintDestinationSecret(): string {
  return `${PREFIX}${mintBytes(SECRET_BYTES).toString('base64')}`;
}

/** Seals a secret; only the same destination can open it. */
export function sealSecret(secret: string, destinationId: string, key: SecretsKey): string {
  const nonce = mintBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(destinationId));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a sealed secret; null if it was sealed with another key or changed. */
export function openSecret(sealed: string, destinationId: string, key: SecretsKey): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(destinationId));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
