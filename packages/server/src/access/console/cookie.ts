/** The cookie of console sessions (rules 5.4). */
import { mintSecret } from '../../ground/base/random.ts';
import { hashApiKey } from '../../platform/endpoint/caller.ts';

/** The prefix makes browsers accept the cookie only over HTTPS, for this host alone and for all its paths. */
export const SESSION_COOKIE = '__Host-latchkey';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const VALUE_BYTES = 32;
/** Seven days; without a Max-Age, the cookie ends with the browser session. */
const KEPT_SECONDS = 7 * 86_400;

/** The cookie to set when a session begins. */
export interface NewCookie {
  /** Secret: sent to the browser and nowhere else. */
  readonly value: string;
  /** The session's id: the hash of the value. */
  readonly sessionId: string;
}

/** Creates the cookie for a session that may begin. */
export function mintCookie(): NewCookie {
  const value = mintSecret(VALUE_BYTES);
  return { value, sessionId: hashApiKey(value) };
}

/** The value of `Set-Cookie` that begins a session. */
export function beginningCookie({ value }: NewCookie, isKept: boolean): string {
  const lifetime = isKept ? `; Max-Age=${KEPT_SECONDS}` : '';
  return `${SESSION_COOKIE}=${value}; ${ATTRIBUTES}${lifetime}`;
}

/** The value of `Set-Cookie` that takes the cookie of a session away. */
export const ENDED_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
