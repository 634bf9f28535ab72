/**
 * Session tokens (rules 5.3): opaque to clients; internally a compact JWS signed with HMAC-SHA256 by a key that all
 * nodes share. A token names its activation and contains only hashes of the license key and the fingerprint, so a
 * leaked token reveals neither.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { signerWith } from './signer.ts';

/** A key that signs or checks tokens. */
export interface TokenKey {
  readonly keyId: string;
  /** base64url, 32 bytes. */
  readonly secret: string;
  /** Time from which it signs. Before that it only checks, so that every node has loaded it by then. */
  readonly signsFrom: string;
}

/** The claims of a token. */
export interface TokenClaims {
  /** The activation it was issued for. */
  readonly act: string;
  /** Hash of the license key. */
  readonly lic: string;
  /** Hash of the fingerprint. */
  readonly fp: string;
  /** Times of issue and expiry, whole seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
}

/** A key prepared for use. */
export interface PreparedKey {
  readonly keyId: string;
  readonly signsFrom: string;
  /** Signs a text with HMAC-SHA256, as base64url. */
  readonly sign: (text: string) => string;
  /** The encoded header and the following dot. */
  readonly headerPart: string;
}

export function prepareKey(key: TokenKey): PreparedKey {
  const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: key.keyId });
  return {
    keyId: key.keyId,
    signsFrom: key.signsFrom,
    sign: signerWith(Buffer.from(key.secret, 'base64url')),
    headerPart: `${Buffer.from(header).toString('base64url')}.`,
  };
}

/** The claims of a new token for an activation, `lifetimeMs` long (whole seconds). */
export function claimsFor(
  activationId: string,
  licenseKey: string,
  fingerprint: string,
  now: number,
  lifetimeMs: number,
): TokenClaims {
  const iat = Math.floor(now / 1000);
  return {
    act: activationId,
    lic: bindingOf(licenseKey),
    fp: bindingOf(fingerprint),
    iat,
    exp: iat + Math.floor(lifetimeMs / 1000),
  };
}

/** Signs the claims as a token. */
export function signToken(claims: TokenClaims, key: PreparedKey): string {
  const signed = key.headerPart + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${signed}.${key.sign(signed)}`;
}

/** The key id in a token's header, or null for a token that is not ours; does not check the signature. */
export function keyIdOf(token: string, keys: ReadonlyMap<string, PreparedKey>): string | null {
  const end = token.indexOf('.') + 1;
  if (end === 0) return null;
  const headerPart = token.slice(0, end);
  for (const key of keys.values()) if (key.headerPart === headerPart) return key.keyId;
  try {
    const header: unknown = JSON.parse(Buffer.from(headerPart, 'base64url').toString());
    const keyId = typeof header === 'object' && header !== null ? (header as Record<string, unknown>).kid : null;
    return typeof keyId === 'string' ? keyId : null;
  } catch {
    return null;
  }
}

/** The claims of an unexpired token signed by `key`; null for any other. */
export function readToken(token: string, key: PreparedKey, now: number): TokenClaims | null {
  const end = token.lastIndexOf('.');
  if (end < key.headerPart.length || !token.startsWith(key.headerPart)) return null;
  // Compared as text: several texts decode to the same bytes, and only one of them is the issued token.
  const given = Buffer.from(token.slice(end + 1));
  const right = Buffer.from(key.sign(token.slice(0, end)));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const claims = JSON.parse(
    Buffer.from(token.slice(key.headerPart.length, end), 'base64url').toString(),
  ) as TokenClaims;
  return isUnexpired(claims, now) ? claims : null;
}

/** Whether a token has not expired yet. */
export function isUnexpired(claims: Pick<TokenClaims, 'exp'>, now: number): boolean {
  return claims.exp * 1000 > now;
}

/** Whether a token was issued for this license key. */
export function isOfLicense(claims: TokenClaims, licenseKey: string): boolean {
  return claims.lic === bindingOf(licenseKey);
}

/** Whether a token was issued for this machine. */
export function isOfMachine(claims: TokenClaims, fingerprint: string): boolean {
  return claims.fp === bindingOf(fingerprint);
}

/** 128 bits of SHA-256: enough to distinguish two values, too little for a lookup table of secrets. */
export function bindingOf(value: string): string {
  return hash('sha256', value, 'base64url').slice(0, 22);
}
