/** The parts of all steps of a session: the cookie, the token of a form, the report of an outcome. */
import type { RefusedCall } from '../../../platform/endpoint/inner.ts';
import { formToken, hashOfSecret, isFormToken, type SessionCookie, setCookie } from './cookies.ts';
import { addressOf } from './frame.ts';
import { type Answering, FOREIGN_FORM, noticeFor, redirect, type Step, type Visitor } from './visitor.ts';

/** A step of a session; `session` is the hash that names it. */
type SessionStep = (visitor: Visitor, cookie: SessionCookie, session: string) => Promise<Step>;

/** A page for signed-in customers; others get the first page. */
export function page(step: SessionStep): Answering {
  return async (visitor) => {
    const { session: cookie } = visitor.cookies;
    return cookie === null ? redirect('/my') : step(visitor, cookie, hashOfSecret(cookie.secret));
  };
}

/** A form of signed-in customers, which counts only with the token of its name. */
export function form(name: string, step: SessionStep): Answering {
  return page(async (visitor, cookie, session) =>
    isFormToken(cookie.secret, name, visitor.form.t) ? step(visitor, cookie, session) : FOREIGN_FORM,
  );
}

/** The answer to a refused call of a session: one that has ended leads to the first page of its shop. */
export function refusedStep(refusal: RefusedCall, { shopId }: SessionCookie): Step {
  if (refusal.refused !== 'customer_not_signed_in') return noticeFor(refusal);
  return redirect(addressOf('/my', { shop: shopId, said: 'ended' }), setCookie('session', null));
}

/** The address of a page that reports an outcome. The token proves that the service itself led there. */
export function saying(
  news: string,
  { secret }: SessionCookie,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  return addressOf(path, { ...query, said: news, by: formToken(secret, `said ${news}`) });
}

/** The outcome in such an address; null if the service did not make it for this session. */
export function newsIn<News extends string>(
  { query }: Visitor,
  { secret }: SessionCookie,
  known: readonly News[],
): News | null {
  const news = known.find((each) => each === query.said);
  return news !== undefined && isFormToken(secret, `said ${news}`, query.by) ? news : null;
}

/** A REF of another form names no license. */
export function ofUnknown(refusal: RefusedCall): RefusedCall {
  return refusal.status === 400 ? { ...refusal, status: 404 } : refusal;
}
