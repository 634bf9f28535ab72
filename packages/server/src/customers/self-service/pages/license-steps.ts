/** The pages of a session: each address, its call and its answer. */

import type { RefusedCall } from '../../../platform/endpoint/inner.ts';
import type { CustomerReply, LicenseCard } from '../shapes.ts';
import { formToken, type SessionCookie, setCookie } from './cookies.ts';
import { fileQuestionPage, madeFilePage } from './file-pages.ts';
import { addressOf, type Content, type View } from './frame.ts';
import { type FileError, LICENSE_NEWS, type LicenseNews, licensePage } from './license-page.ts';
import { licensesPage } from './licenses-page.ts';
import { releasePage, releaseUserPage } from './release-page.ts';
import { form, newsIn, ofUnknown, page, refusedStep, saying } from './session-steps.ts';
import { signedInView } from './views.ts';
import { noticeFor, pageStep, redirect, type Step, type Visitor } from './visitor.ts';

/** GET /my/licenses. */
export const showLicenses = page(async (visitor, cookie, session) => {
  const { after = '' } = visitor.query;
  const answer = await visitor.call('listMyLicenses', { session, ...(after === '' ? {} : { cursor: after }) });
  if ('refusal' in answer)
    return answer.refusal.status === 400 ? redirect('/my/licenses') : refusedStep(answer.refusal, cookie);
  const { reply } = answer;
  const here = addressOf('/my/licenses', { after: after === '' ? null : after });
  const view = await signedInView(visitor, cookie.secret, reply, here);
  const content = licensesPage(view, {
    ...reply,
    sendKeysToken: view.shop.signIn === 'code' ? formToken(cookie.secret, 'send-keys') : null,
    news: newsIn(visitor, cookie, ['keysSent', 'keysSentLately', 'noNewKey']),
  });
  return pageStep(200, view, content);
});

/** POST /my/send-keys. */
export const sendKeys = form('send-keys', async (visitor, cookie, session) => {
  const answer = await visitor.call('mailMyKeys', { session, language: visitor.language });
  if ('reply' in answer) return redirect(saying('keysSent', cookie, '/my/licenses'));
  const isLately = answer.refusal.refused === 'keys_mailed_lately';
  return isLately ? redirect(saying('keysSentLately', cookie, '/my/licenses')) : refusedStep(answer.refusal, cookie);
});

/** GET /my/license. */
export const showLicense = page(async (visitor, cookie, session) => {
  const news = newsIn<LicenseNews>(visitor, cookie, LICENSE_NEWS);
  return licenseStep(visitor, cookie, session, { status: 200, news, request: '', error: null });
});

async function licenseStep(
  visitor: Visitor,
  cookie: SessionCookie,
  session: string,
  shown: {
    readonly status: number;
    readonly news: LicenseNews | null;
    readonly request: string;
    readonly error: FileError | null;
    readonly refusal?: RefusedCall;
  },
): Promise<Step> {
  const { l: ref = '' } = visitor.query;
  const answer = await visitor.call('getMyLicense', { session, license: ref });
  if ('refusal' in answer) return refusedStep(ofUnknown(answer.refusal), cookie);
  const { reply: found } = answer;
  const view = await signedInView(visitor, cookie.secret, found, addressOf('/my/license', { l: ref }));
  const { status, news, request, error, refusal } = shown;
  const file = found.files ? { token: formToken(cookie.secret, 'file'), request, error } : null;
  return pageStep(status, view, licensePage(view, { found, news, file }), refusal);
}

/** GET /my/release: asks first. */
export const showRelease = page(async (visitor, cookie, session) => {
  const { l: ref = '', d: deviceRef = '' } = visitor.query;
  const answer = await visitor.call('getMyLicense', { session, license: ref });
  if ('refusal' in answer) return refusedStep(ofUnknown(answer.refusal), cookie);
  const { license, devices, budget } = answer.reply;
  const device = devices.find((each) => each.ref === deviceRef);
  // The page of the license says why a computer cannot be freed, and lists those that can.
  if (device === undefined || !(device.release === 'free' || device.release === 'counts'))
    return redirect(addressOf('/my/license', { l: ref }));
  const view = await signedInView(
    visitor,
    cookie.secret,
    answer.reply,
    addressOf('/my/release', { l: ref, d: deviceRef }),
  );
  const token = formToken(cookie.secret, 'release');
  return pageStep(200, view, releasePage(view, { license, device, budget, token }));
});

/** POST /my/release. */
export const release = form('release', async (visitor, cookie, session) => {
  const { l: license = '', d: device = '' } = visitor.form;
  const answer = await visitor.call('releaseMyDevice', { session, license, device });
  const say = (news: LicenseNews) => redirect(saying(news, cookie, '/my/license', { l: license }));
  if ('reply' in answer) return say('freed');
  const { refusal } = answer;
  if (refusal.refused === 'device_gone') return say('gone');
  return STAYS.has(refusal.refused) ? say('refused') : refusedStep(ofUnknown(refusal), cookie);
});

/** GET /my/release-user: asks first. */
export const showReleaseUser = page(async (visitor, cookie, session) => {
  const { l: ref = '', u: userRef = '' } = visitor.query;
  const answer = await visitor.call('getMyLicense', { session, license: ref });
  if ('refusal' in answer) return refusedStep(ofUnknown(answer.refusal), cookie);
  const { license, users, budget } = answer.reply;
  const user = users.find((each) => each.ref === userRef);
  if (user === undefined || !(user.release === 'free' || user.release === 'counts'))
    return redirect(addressOf('/my/license', { l: ref }));
  const here = addressOf('/my/release-user', { l: ref, u: userRef });
  const view = await signedInView(visitor, cookie.secret, answer.reply, here);
  const token = formToken(cookie.secret, 'release-user');
  return pageStep(200, view, releaseUserPage(view, { license, user, budget, token }));
});

/** POST /my/release-user. */
export const releaseUser = form('release-user', async (visitor, cookie, session) => {
  const { l: license = '', u: user = '' } = visitor.form;
  const answer = await visitor.call('releaseMyUser', { session, license, user });
  const say = (news: LicenseNews) => redirect(saying(news, cookie, '/my/license', { l: license }));
  if ('reply' in answer) return say('released');
  const { refusal } = answer;
  return refusal.refused === 'user_gone' || STAYS.has(refusal.refused)
    ? say('notReleased')
    : refusedStep(ofUnknown(refusal), cookie);
});

/** Refusals that the list of computers explains. */
const STAYS: ReadonlySet<RefusedCall['refused']> = new Set([
  'release_budget_spent',
  'device_too_new',
  'device_has_file',
  'releases_off',
]);

/** POST /my/file: asks first. */
export const askForFile = form('file', async (visitor, cookie, session) => {
  const { l: license = '', request = '' } = visitor.form;
  if (request.trim() === '') return fileRefused(visitor, cookie, session, null);
  const answer = await visitor.call('askForMyFile', { session, license, request });
  if ('refusal' in answer) return fileRefused(visitor, cookie, session, answer.refusal);
  const token = formToken(cookie.secret, 'make-file');
  return fileStep(visitor, cookie, session, (view, card) =>
    fileQuestionPage(view, { license: card, asked: answer.reply, token, request }),
  );
});

/** POST /my/make-file. */
export const makeFile = form('make-file', async (visitor, cookie, session) => {
  const { l: license = '', request = '' } = visitor.form;
  const answer = await visitor.call('makeMyFile', { session, license, request });
  if ('refusal' in answer) return fileRefused(visitor, cookie, session, answer.refusal);
  return fileStep(visitor, cookie, session, (view, card) => madeFilePage(view, { license: card, made: answer.reply }));
});

/** A page about a file of the license that the form names. */
async function fileStep(
  visitor: Visitor,
  cookie: SessionCookie,
  session: string,
  contentOf: (view: View, license: LicenseCard) => Content,
): Promise<Step> {
  const { l: ref = '' } = visitor.form;
  const answer = await visitor.call('getMyLicense', { session, license: ref });
  if ('refusal' in answer) return refusedStep(ofUnknown(answer.refusal), cookie);
  const view = await signedInView(visitor, cookie.secret, answer.reply, addressOf('/my/license', { l: ref }));
  return pageStep(200, view, contentOf(view, answer.reply.license));
}

/** The page of the license with the reason for a missing file; `refusal` is null for an empty request. */
function fileRefused(
  visitor: Visitor,
  cookie: SessionCookie,
  session: string,
  refusal: RefusedCall | null,
): Step | Promise<Step> {
  const { l = '', request = '' } = visitor.form;
  const again = (status: number, error: FileError, more: { readonly refusal?: RefusedCall }) =>
    licenseStep({ ...visitor, query: { l } }, cookie, session, { status, news: null, request, error, ...more });
  if (refusal === null) return again(400, 'missing', {});
  if (refusal.refused === 'customer_not_signed_in' || refusal.status >= 500) return refusedStep(refusal, cookie);
  return again(refusal.status, fileErrorOf(refusal), { refusal });
}

function fileErrorOf({ refused, extra }: RefusedCall): FileError {
  switch (refused) {
    case 'file_request_not_accepted':
    case 'invalid_field':
      return 'notAccepted';
    case 'file_budget_spent':
      return { nextAt: (extra as Pick<CustomerReply<'getMyLicense'>['budget'], 'nextAt'>).nextAt ?? null };
    default:
      return 'refused';
  }
}

/** POST /my/sign-out. */
export const signOut = form('sign-out', async (visitor, cookie, session) => {
  const answer = await visitor.call('signOutCustomer', { session });
  if ('refusal' in answer && answer.refusal.refused !== 'customer_not_signed_in') return noticeFor(answer.refusal);
  return redirect(addressOf('/my', { shop: cookie.shopId, said: 'signedOut' }), setCookie('session', null));
});
