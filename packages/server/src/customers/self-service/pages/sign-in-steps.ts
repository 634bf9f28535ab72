/** The pages before a session: asking for a code, entering it, using a link. */

import { tidied } from '../../../ground/base/typed-text.ts';
import type { RefusedCall } from '../../../platform/endpoint/inner.ts';
import { LONGEST_PROOF } from '../known-browser.ts';
import { formToken, hashOfSecret, isFormToken, mintCookieSecret, sessionValue, setCookie } from './cookies.ts';
import { addressOf } from './frame.ts';
import { type AskPage, askPage, codePage, endedLinkPage, linkPage } from './sign-in-pages.ts';
import { openView, shopOf } from './views.ts';
import { type Answering, FOREIGN_FORM, noticeFor, pageStep, redirect, type Step, type Visitor } from './visitor.ts';

/** The longest text that can be a code with blanks and dashes. */
const LONGEST_CODE = 40;
const LONGEST_LINK = 200;

/** GET /my. */
export const showAsk: Answering = (visitor) => {
  const { said } = visitor.query;
  const arrival = said === 'signedOut' || said === 'ended' ? said : null;
  return askStep(visitor, 200, { arrival, email: '', error: null });
};

async function askStep(
  visitor: Visitor,
  status: number,
  page: Omit<AskPage, 'closed'>,
  refusal?: RefusedCall,
): Promise<Step> {
  const view = await openView(visitor, '/my');
  const { hasForm, signIn } = view.shop;
  const closed = !hasForm ? 'withoutShop' : signIn === 'link' ? 'withoutMail' : null;
  return pageStep(status, view, askPage(view, { ...page, closed }), refusal);
}

/** POST /my: the same answer for every address. */
export const askForCode: Answering = async (visitor) => {
  const { form, call, cookies, language } = visitor;
  const email = tidied(form.email ?? '');
  const shop = shopOf(visitor);
  const refused = (error: 'missing' | 'invalid', refusal?: RefusedCall) =>
    askStep(visitor, 400, { arrival: null, email, error }, refusal);
  if (email === '') return refused('missing');
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return refused('invalid');
  const secret = mintCookieSecret();
  // A foreign value of the cookie, such as one that is too long, is no reason to refuse the form.
  const known = cookies.known === null || cookies.known.length > LONGEST_PROOF ? {} : { known: cookies.known };
  const fields = { email, language, browser: hashOfSecret(secret), ...(shop === null ? {} : { shop }), ...known };
  const answer = await call('askForCode', fields);
  if ('reply' in answer) return redirect(addressOf('/my/code', { shop }), setCookie('asked', secret));
  return answer.refusal.status === 400 ? refused('invalid', answer.refusal) : noticeFor(answer.refusal);
};

/** GET /my/code. */
export const showCode: Answering = (visitor) => codeStep(visitor, 200, '', null);

async function codeStep(
  visitor: Visitor,
  status: number,
  code: string,
  error: 'missing' | 'notAccepted' | null,
  refusal?: RefusedCall,
): Promise<Step> {
  const { asked } = visitor.cookies;
  const view = await openView(visitor, '/my/code');
  const token = asked === null ? null : formToken(asked, 'code');
  return pageStep(status, view, codePage(view, { token, code, error }), refusal);
}

/** POST /my/code. */
export const enterCode: Answering = async (visitor) => {
  const { form, call, cookies } = visitor;
  const { asked } = cookies;
  const code = (form.code ?? '').trim();
  if (asked === null) return codeStep(visitor, 400, '', null);
  if (!isFormToken(asked, 'code', form.t)) return FOREIGN_FORM;
  if (code === '') return codeStep(visitor, 400, '', 'missing');
  if (code.length > LONGEST_CODE) return codeStep(visitor, 403, '', 'notAccepted');
  const secret = mintCookieSecret();
  const answer = await call('enterCode', { browser: hashOfSecret(asked), code, newSession: hashOfSecret(secret) });
  if ('reply' in answer)
    return signedIn(visitor, secret, setCookie('asked', null), setCookie('known', answer.reply.known));
  const { refusal } = answer;
  const isCode = refusal.refused === 'code_not_accepted' || refusal.status === 400;
  return isCode ? codeStep(visitor, 403, code, 'notAccepted', refusal) : noticeFor(refusal);
};

/** GET /my/enter: changes nothing, however often a program follows the link. */
export const showLink: Answering = async (visitor) => {
  const link = linkIn(visitor.query);
  const view = await openView(visitor, '/my/enter', link === null ? {} : { c: link });
  return pageStep(200, view, link === null ? endedLinkPage(view) : linkPage(view, link));
};

/** POST /my/enter. */
export const enterLink: Answering = async (visitor) => {
  const link = linkIn(visitor.form);
  const ended = async (refusal?: RefusedCall) => {
    const view = await openView(visitor, '/my/enter', link === null ? {} : { c: link });
    return pageStep(403, view, endedLinkPage(view), refusal);
  };
  if (link === null) return ended();
  const secret = mintCookieSecret();
  const answer = await visitor.call('enterLink', { link: hashOfSecret(link), newSession: hashOfSecret(secret) });
  if ('reply' in answer) return signedIn(visitor, secret);
  return answer.refusal.refused === 'link_not_accepted' ? ended(answer.refusal) : noticeFor(answer.refusal);
};

function linkIn({ c = '' }: Readonly<Record<string, string>>): string | null {
  return /^[\w-]+$/.test(c) && c.length <= LONGEST_LINK ? c : null;
}

function signedIn(visitor: Visitor, secret: string, ...cookies: readonly string[]): Step {
  const value = sessionValue({ secret, shopId: shopOf(visitor) });
  return redirect('/my/licenses', setCookie('session', value), ...cookies);
}
