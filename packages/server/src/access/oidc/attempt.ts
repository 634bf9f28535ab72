/**
 * Attempts to sign in with an account of the provider. An attempt is kept by the browser that began it, in a sealed
 * cookie: any node takes the answer, strangers write nothing, and nobody can finish the attempt of somebody else.
 */
import { hash, hkdfSync } from 'node:crypto';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import { openSecret, sealSecret } from '../../platform/sealing/seal.ts';
import { isFiniteNumber, isText, recordOf } from '../../storage/contract/stored-json.ts';

/** Lifetime of an attempt. */
export const ATTEMPT_MS = 10 * MINUTE_MS;
/** The prefix makes browsers accept the cookie only over HTTPS, for this host alone and for all its paths. */
export const ATTEMPT_COOKIE = '__Host-latchkey-sign-in';
/** `Lax`, because the provider's page leads back here. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const KEY_BYTES = 32;
const OWNER = 'attempt to sign in';
/** Longer than any cookie that the service makes. */
const LONGEST_COOKIE = 1_000;

/** The secrets of an attempt. */
export interface Attempt {
  /** Returns with the answer, and so ties it to the browser. */
  readonly state: string;
  /** Returns in the ID token, and so ties it to the attempt. */
  readonly nonce: string;
  /** Proves to the provider that the code is used by the service that asked for it (PKCE). */
  readonly verifier: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
}

/** The keys that seal attempts: one for each accepted admin secret, the present one first. */
export function deriveAttemptKeys(adminSecrets: readonly string[]): readonly Uint8Array[] {
  const purpose = 'latchkey: keys that seal attempts to sign in';
  return adminSecrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
}

/** The value of `Set-Cookie` that keeps an attempt. */
export function attemptCookie(attempt: Attempt, [key]: readonly Uint8Array[]): string {
  if (key === undefined) throw new Error('an attempt is sealed with a secret that there is');
  const sealed = sealSecret(JSON.stringify(attempt), OWNER, key);
  return `${ATTEMPT_COOKIE}=${sealed}; ${ATTRIBUTES}; Max-Age=${ATTEMPT_MS / 1000}`;
}

/** The value of `Set-Cookie` that takes the cookie of an attempt away. */
export const NO_ATTEMPT_COOKIE = `${ATTEMPT_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/**
 * The attempt in a cookie; null if it was changed, if its time is over, or if a clock that was ahead began it.
 *
 * @param now milliseconds since 1970
 */
export function attemptIn(sealed: string | null, keys: readonly Uint8Array[], now: number): Attempt | null {
  if (sealed === null || sealed.length > LONGEST_COOKIE) return null;
  const opened = keys.map((key) => openSecret(sealed, OWNER, key)).find((text) => text !== null);
  if (opened === undefined) return null;
  const { state, nonce, verifier, begunAt } = recordOf(JSON.parse(opened));
  if (!isText(state) || !isText(nonce) || !isText(verifier) || !isFiniteNumber(begunAt)) return null;
  return Math.abs(now - begunAt) < ATTEMPT_MS ? { state, nonce, verifier, begunAt } : null;
}

/** Identifies an attempt in the database. */
export function idOfAttempt({ state }: Attempt): string {
  return hash('sha256', state, 'base64url');
}
