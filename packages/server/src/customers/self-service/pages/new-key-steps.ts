/** The steps by which a license gets a new key. */
import { formToken } from './cookies.ts';
import { addressOf } from './frame.ts';
import type { LicenseNews } from './license-page.ts';
import { newKeyPage } from './new-key-page.ts';
import { form, ofUnknown, page, refusedStep, saying } from './session-steps.ts';
import { signedInView } from './views.ts';
import { pageStep, redirect } from './visitor.ts';

/** GET /my/new-key: asks first. */
export const showNewKey = page(async (visitor, cookie, session) => {
  const { l: ref = '' } = visitor.query;
  const answer = await visitor.call('getMyLicense', { session, license: ref });
  if ('refusal' in answer) return refusedStep(ofUnknown(answer.refusal), cookie);
  const { license, newKey } = answer.reply;
  // The page of the license says when it may get another one.
  if (newKey.may !== 'possible') return redirect(addressOf('/my/license', { l: ref }));
  const view = await signedInView(visitor, cookie.secret, answer.reply, addressOf('/my/new-key', { l: ref }));
  return pageStep(200, view, newKeyPage(view, { license, token: formToken(cookie.secret, 'new-key') }));
});

/** POST /my/new-key. */
export const replaceKey = form('new-key', async (visitor, cookie, session) => {
  const { l: license = '' } = visitor.form;
  const answer = await visitor.call('replaceMyKey', { session, license, language: visitor.language });
  const say = (news: LicenseNews, ref: string) => redirect(saying(news, cookie, '/my/license', { l: ref }));
  if ('reply' in answer) return say(answer.reply.mailed ? 'newKeyMailed' : 'newKey', answer.reply.ref);
  const { refusal } = answer;
  switch (refusal.refused) {
    case 'new_keys_off':
    case 'new_key_spent':
      return say('noNewKey', license);
    // Pressed twice: the first press has replaced the key.
    case 'license_gone':
      return redirect(saying('noNewKey', cookie, '/my/licenses'));
    default:
      return refusedStep(ofUnknown(refusal), cookie);
  }
});
