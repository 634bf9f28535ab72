/** An Ed25519 key that signs license files: its creation, key id and use (rules 11.2). */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** The public part of a key. */
export interface PublicKey {
  readonly kid: string;
  /** base64url, the 32 bytes of the public key. */
  readonly x: string;
}

/** A key prepared for signing. */
export interface SigningKey extends PublicKey {
  /** Time from which it signs, milliseconds since 1970; it is published before that. */
  readonly signsFrom: number;
  readonly privateKey: KeyObject;
}

/** The PKCS #8 prefix of the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key from 32 secret bytes in base64url. */
export function signingKeyOf(secret: string, signsFrom: number): SigningKey {
  const key = Buffer.concat([PKCS8_PREFIX, Buffer.from(secret, 'base64url')]);
  return prepared(createPrivateKey({ key, format: 'der', type: 'pkcs8' }), signsFrom);
}

/** A malformed PEM file of private keys. The message continues a sentence that starts with the file's name. */
export class SigningKeyError extends Error {}

const MAX_KEYS = 20;

/**
 * The keys of a PEM file: the first signs, the others are only published.
 *
 * @throws SigningKeyError when the file has no key, or one that is not Ed25519
 */
export function signingKeysIn(pem: string): readonly SigningKey[] {
  const blocks = pem.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g) ?? [];
  if (blocks.length === 0 || blocks.length > MAX_KEYS)
    throw new SigningKeyError(`must hold 1 to ${MAX_KEYS} private keys in PEM form (-----BEGIN PRIVATE KEY-----)`);
  return blocks.map((block, index) => {
    const key = readPem(block);
    if (key?.asymmetricKeyType !== 'ed25519')
      throw new SigningKeyError(`holds a private key that is no Ed25519 key (the one at place ${index + 1})`);
    // The first key signs from the beginning of time; the others never sign.
    return prepared(key, index === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  });
}

function readPem(block: string): KeyObject | null {
  try {
    return createPrivateKey(block);
  } catch {
    return null;
  }
}

function prepared(privateKey: KeyObject, signsFrom: number): SigningKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kid: keyIdOf(x), x, signsFrom, privateKey };
}

/** The id of a public key, derived from the key: the beginning of its thumbprint (RFC 7638). */
export function keyIdOf(x: string): string {
  return `k${hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'hex').slice(0, 12)}`;
}

/** Signs a payload as a compact JWS (RFC 7515). */
export function signJws({ kid, privateKey }: SigningKey, type: string, payload: object): string {
  const head = encoded({ alg: 'EdDSA', typ: type, kid });
  const signed = `${head}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
