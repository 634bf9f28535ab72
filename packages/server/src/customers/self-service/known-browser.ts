/**
 * Browsers that signed in before. The cookie of such a browser proves it with an HMAC over the address and the shop, so
 * the service stores nothing, and the cookie names nobody. It grants nothing: codes for its address are counted apart
 * from those that strangers ask for.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { CustomerSession } from './session-store.ts';
import { TIMES } from './settings.ts';

/** Whom a browser signed in, and where. */
type SignedInAs = Pick<CustomerSession, 'emailFolded' | 'creatorId'>;

/** A clock may differ by so much from that of another node. */
const LEEWAY_MS = 5 * MINUTE_MS;
/** The longest proof: a time in base 36, a dot, and 43 characters. */
export const LONGEST_PROOF = 60;

/** A proof that a browser signed in with a mailed code at this moment, in milliseconds since 1970. */
export function proofOfSignIn(key: Uint8Array, who: SignedInAs, now: number): string {
  return `${now.toString(36)}.${digestOf(key, who, now)}`;
}

/** Whether a browser proves that it signed in as this customer within {@link TIMES.known}. */
export function isKnownBrowser(key: Uint8Array, proof: string | undefined, who: SignedInAs, now: number): boolean {
  const [, time = '', digest = ''] = /^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(proof ?? '') ?? [];
  const at = Number.parseInt(time, 36);
  if (!(at > now - TIMES.known && at <= now + LEEWAY_MS)) return false;
  return timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(key, who, at)));
}

function digestOf(key: Uint8Array, { emailFolded, creatorId }: SignedInAs, at: number): string {
  // No id of a request, whose HMAC with this key is a code, is an array.
  const text = JSON.stringify([at, emailFolded, creatorId]);
  return createHmac('sha256', key).update(text).digest('base64url');
}
