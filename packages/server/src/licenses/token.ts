/**
 * Session tokens (rules 5.3): opaque to clients; inside, a compact JWS signed with HMAC-SHA256 by a
 * key that all nodes share. A token names its activation, and is bound to the license key and the fingerprint by hashes,
 * so that it tells nothing to whoever finds it.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** A key that signs or checks tokens. */
export interface TokenKey {
  readonly keyId: string;
  /** base64url, 32 bytes. */
  readonly secret: string;
  /** From when on it signs; before, it only checks, so that every node knows it by then. */
  readonly signsFrom: string;
}

/** What a token says. */
export interface TokenClaims {
  /** The activation it was issued for. */
  readonly act: string;
  /** Hash of the license key. */
  readonly lic: string;
  /** Hash of the fingerprint. */
  readonly fp: string;
  /** Issued and expiring, whole seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
}

/** A key made ready for use. */
export interface PreparedKey {
  readonly keyId: string;
  readonly signsFrom: string;
  readonly secretBytes: Buffer;
  /** The encoded header and the dot behind it. */
  readonly headerPart: string;
}

export function prepareKey(key: TokenKey): PreparedKey {
  const header = JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: key.keyId });
  return {
    keyId: key.keyId,
    signsFrom: key.signsFrom,
    secretBytes: Buffer.from(key.secret, 'base64url'),
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

/** The token itself. */
export function signToken(claims: TokenClaims, key: PreparedKey): string {
  const signed = key.headerPart + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${signed}.${createHmac('sha256', key.secretBytes).update(signed).digest('base64url')}`;
}

/** The key id that a token names, or null when it is no token of ours; says nothing about its signature. */
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

/** The claims of a token that `key` signed and that has not expired; null for any other. */
export function readToken(token: string, key: PreparedKey, now: number): TokenClaims | null {
  const end = token.lastIndexOf('.');
  if (end < key.headerPart.length || !token.startsWith(key.headerPart)) return null;
  // Compared as text: several texts stand for the same bytes, and only one of them is the token that was issued.
  const given = Buffer.from(token.slice(end + 1));
  const right = Buffer.from(createHmac('sha256', key.secretBytes).update(token.slice(0, end)).digest('base64url'));
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

/** 128 bits of SHA-256: enough to tell two values apart, too little to be a lookup table of anything secret. */
export function bindingOf(value: string): string {
  return hash('sha256', value, 'base64url').slice(0, 22);
}
