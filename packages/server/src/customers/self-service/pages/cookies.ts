/** The secrets that a browser keeps for the pages, and the tokens that bind forms to them (rules 13). */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { SECOND_MS } from '../../../ground/base/clock.ts';
import { mintSecret } from '../../../ground/base/random.ts';
import { cookieNamed } from '../../../platform/sites/cookie.ts';
import { TIMES } from '../settings.ts';

const SECRET_BYTES = 32;
/** A code is good for ten minutes, and so is the cookie of the browser that asked for it. */
const ASKED_SECONDS = 600;
/** The prefix makes browsers accept a cookie only over HTTPS, for this host alone and for all its paths. */
const NAMES = {
  session: '__Host-latchkey-my',
  asked: '__Host-latchkey-my-asked',
  known: '__Host-latchkey-my-known',
  language: '__Host-latchkey-my-language',
} as const;
type CookieName = keyof typeof NAMES;
/** `Lax`, so that a link in an e-mail arrives signed in. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const LIFETIMES: Readonly<Record<CookieName, string>> = {
  session: '',
  asked: `; Max-Age=${ASKED_SECONDS}`,
  known: `; Max-Age=${TIMES.known / SECOND_MS}`,
  language: '; Max-Age=31536000',
};

/** The cookies of a request. */
export interface Cookies {
  readonly session: SessionCookie | null;
  /** The secret of the browser that asked for a code. */
  readonly asked: string | null;
  /** The proof that the browser signed in before. */
  readonly known: string | null;
  readonly language: string | null;
}

/** The cookie of a session: the secret, and the shop whose page follows when the session has ended. */
export interface SessionCookie {
  readonly secret: string;
  readonly shopId: string | null;
}

/** Reads the header `Cookie`. A cookie that occurs twice or has another form counts as none. */
export function readCookies(header: string | undefined): Cookies {
  const find = (name: CookieName) => cookieNamed(header, NAMES[name]);
  const [secret = '', shop = ''] = (find('session') ?? '').split('.');
  const asked = find('asked');
  return {
    session: isSecret(secret)
      ? { secret, shopId: shop === '' ? null : Buffer.from(shop, 'base64url').toString() }
      : null,
    asked: asked !== null && isSecret(asked) ? asked : null,
    known: find('known'),
    language: find('language'),
  };
}

function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** A new secret for a cookie: 256 random bits. */
export function mintCookieSecret(): string {
  return mintSecret(SECRET_BYTES);
}

/** The hash under which the service knows a secret. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** The value of a session's cookie. */
export function sessionValue({ secret, shopId }: SessionCookie): string {
  return shopId === null ? secret : `${secret}.${Buffer.from(shopId).toString('base64url')}`;
}

/** The value of `Set-Cookie`; null removes the cookie. */
export function setCookie(name: CookieName, value: string | null): string {
  return `${NAMES[name]}=${value ?? ''}; ${ATTRIBUTES}${value === null ? '; Max-Age=0' : LIFETIMES[name]}`;
}

/**
 * The token of a form: an HMAC of its name, keyed with the cookie's secret. Only a page of this browser's own session
 * contains it, because no other page can read the cookie.
 */
export function formToken(secret: string, form: string): string {
  return createHmac('sha256', secret).update(form).digest('base64url');
}

/** Whether a form carried the token of its name. */
export function isFormToken(secret: string, form: string, shown: string | undefined): boolean {
  const expected = Buffer.from(formToken(secret, form));
  const given = Buffer.from(shown ?? '');
  return expected.length === given.length && timingSafeEqual(expected, given);
}
