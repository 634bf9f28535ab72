/**
 * The cookie of console sessions: when it counts as a credential, and how it is set and removed (rules 5.4).
 *
 * Browsers send cookies automatically, even with requests that a foreign page causes. So the cookie counts only if the
 * request must come from the console's own page: it carries a header that foreign pages cannot add, a JSON body, and
 * the browser's statement that page and service share one origin.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { beginningCookie, ENDED_COOKIE, type NewCookie, SESSION_COOKIE } from '../../access/console/cookie.ts';
import { type Credential, hashApiKey } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { cookieNamed } from '../../platform/sites/cookie.ts';
import { isFromOwnPage } from '../../platform/sites/own-page.ts';

/** The id of the session whose cookie a POST carries; null if the cookie does not count. */
export function sessionIdIn(headers: IncomingHttpHeaders): string | null {
  if (headers['x-latchkey-console'] !== '1') return null;
  if (!hasJsonBody(headers) || !isFromOwnPage(headers)) return null;
  const value = cookieNamed(headers.cookie, SESSION_COOKIE);
  if (value === null || !/^[\w-]{43}$/.test(value)) return null;
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
  if (newCookie !== null) return ['Set-Cookie', beginningCookie(newCookie, body.keep === true)];
  if (endpoint.endsSession !== true || credential.kind !== 'session') return [];
  const { sessionId } = body;
  const endsOwn =
    sessionId === undefined || sessionId === null || sessionId === '' || sessionId === credential.sessionId;
  return endsOwn ? ['Set-Cookie', ENDED_COOKIE] : [];
}
