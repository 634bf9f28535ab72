/**
 * The cookie of console sessions: when it counts as a credential, and how it is set and taken away (rules 5.4).
 *
 * Browsers send cookies by themselves, also with requests that a foreign page causes. So the cookie counts only where the
 * request can come from nowhere but the console's own page: it carries a header that foreign pages cannot add, a JSON body,
 * and the browser's word that page and service are of one origin.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Credential, hashApiKey } from '../endpoint/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { mintSecret } from '../random.ts';

/** The prefix makes browsers take it only over HTTPS, for this host alone and for all its paths. */
const NAME = '__Host-latchkey';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const VALUE_BYTES = 32;
/** Seven days; a cookie without it goes when the browser is closed. */
const KEPT_SECONDS = 7 * 86_400;

/** A cookie that is to be set when a session begins. */
export interface NewCookie {
  /** Secret: goes to the browser and nowhere else. */
  readonly value: string;
  /** The session's id, which is the hash of the value. */
  readonly sessionId: string;
}

/** Makes the cookie of a session that may begin. */
export function mintCookie(): NewCookie {
  const value = mintSecret(VALUE_BYTES);
  return { value, sessionId: hashApiKey(value) };
}

/** The id of the session whose cookie a POST carries, where it counts; else null. */
export function sessionIdIn(headers: IncomingHttpHeaders): string | null {
  if (headers['x-latchkey-console'] !== '1') return null;
  if (!hasJsonBody(headers) || !isOfOneOrigin(headers)) return null;
  const values = [...(headers.cookie ?? '').matchAll(/(?:^|;) *__Host-latchkey=([^;]*)/g)].map(
    ([, value = '']) => value,
  );
  const [value] = values;
  if (value === undefined || values.length > 1 || !/^[\w-]{43}$/.test(value)) return null;
  return hashApiKey(value);
}

/**
 * Whether a sign-in was caused by a foreign page: it would sign the browser in as somebody else, and what the person then
 * enters would be for that somebody to see. Whoever calls without a browser says nothing of origins.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const saysOrigin = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  return saysOrigin && !(isOfOneOrigin(headers) && hasJsonBody(headers));
}

function hasJsonBody(headers: IncomingHttpHeaders): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '');
}

function isOfOneOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.host !== undefined && headers.origin?.toLowerCase() === `https://${headers.host.toLowerCase()}`;
}

/** The header `Set-Cookie` of an answer, name and value in turn; empty where the cookie stays as it is. */
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
