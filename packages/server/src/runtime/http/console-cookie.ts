/**
 * The cookie of console sessions: when it counts as a credential, and how it is set and removed (rules 5.4).
 *
 * Browsers send cookies automatically, even with requests that a foreign page causes. So the cookie counts only if the
 * request must come from the console's own page: it carries a header that foreign pages cannot add, a JSON body, and
 * the browser's statement that page and service share one origin.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { mintSecret } from '../../ground/base/random.ts';
import { type Credential, hashApiKey } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { isFromOwnPage } from '../../platform/sites/own-page.ts';

/** The prefix makes browsers accept the cookie only over HTTPS, for this host alone and for all its paths. */
const NAME = '__Host-latchkey';
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

/** The id of the session whose cookie a POST carries; null if the cookie does not count. */
export function sessionIdIn(headers: IncomingHttpHeaders): string | null {
  if (headers['x-latchkey-console'] !== '1') return null;
  if (!hasJsonBody(headers) || !isFromOwnPage(headers)) return null;
  const values = [...(headers.cookie ?? '').matchAll(/(?:^|;) *__Host-latchkey=([^;]*)/g)].map(
    ([, value = '']) => value,
  );
  const [value] = values;
  if (value === undefined || values.length > 1 || !/^[\w-]{43}$/.test(value)) return null;
  return hashApiKey(value);
}

/**
 * True if a foreign page caused a sign-in. Such a sign-in would give the browser another person's session, and that
 * person could see everything the user enters. Callers other than browsers send no origin.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const saysOrigin = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  return saysOrigin && !(isFromOwnPage(headers) && hasJsonBody(headers));
}

function hasJsonBody(headers: IncomingHttpHeaders): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '');
}

/** The `Set-Cookie` header of a reply, as name and value; empty if the cookie does not change. */
export function cookieAfter(
  endpoint: Endpoint,
  { status }: { readonly status: number },
  call: {
    readonly body: Readonly<Record<string, unknown>>;
    readonly credential: Credential;
    readonly newCookie: NewCookie | null;
  },
): readonly string[] {
  if (status !== 200) return [];
  const { body, credential, newCookie } = call;
  if (newCookie !== null) {
    const lifetime = body.keep === true ? `; Max-Age=${KEPT_SECONDS}` : '';
    return ['Set-Cookie', `${NAME}=${newCookie.value}; ${ATTRIBUTES}${lifetime}`];
  }
  if (endpoint.endsSession !== true || credential.kind !== 'session') return [];
  const { sessionId } = body;
  const endsOwn =
    sessionId === undefined || sessionId === null || sessionId === '' || sessionId === credential.sessionId;
  return endsOwn ? ['Set-Cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`] : [];
}
