/**
 * The mail with a code. Whether it is sent is decided here, long after the page has answered: only an address with a
 * license within the shop gets one, and no more often than the limits allow.
 */

import { fromTimestamp, MINUTE_MS } from '../../ground/base/clock.ts';
import type { MailKind } from '../../platform/endpoint/mail-kind.ts';
import { OPERATOR } from '../brand/brand.ts';
import { findBrand } from '../brand/store.ts';
import { layOut, oneLine } from '../mail/layout.ts';
import { codeOfRequest, shownCode } from './code.ts';
import { CODE_TEXTS } from './code-texts.ts';
import { listCustomerKeys } from './license-store.ts';
import { shopScope } from './session.ts';
import { findSignIn } from './sign-in-store.ts';

/**
 * A queued mail holds the `browser` and the id of its `request`. A newer request of the browser drops the older mail.
 */
export const codeMail: MailKind = {
  name: 'code',
  tries: [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  deletedOnceSent: true,
  hasOwnShare: true,
  async prepare(sql, { creatorId, language, data }, { settings: { selfService }, now }) {
    const signIn = await findSignIn(sql, data.browser ?? '');
    if (selfService === null || signIn === undefined || signIn.requestId !== data.request) return null;
    if (signIn.isSilent || now >= fromTimestamp(signIn.expiresAt)) return null;
    const scope = shopScope(creatorId, selfService);
    const keys = scope === null ? [] : await listCustomerKeys(sql, signIn.emailFolded, scope, 1);
    if (keys.length === 0) return null;
    const brand = await findBrand(sql, creatorId);
    const texts = CODE_TEXTS[language];
    const code = shownCode(codeOfRequest(selfService.codeKey, signIn.requestId));
    const name = brand === null ? null : oneLine(brand.name);
    const laidOut = layOut(language, texts.subject(code), [
      texts.greeting,
      { label: name === null ? texts.introduction : texts.introductionOf(name), value: code },
      texts.use,
      texts.reason,
    ]);
    const isOfCreator = brand !== null && brand.creatorId !== OPERATOR;
    return { ...laidOut, replyTo: brand?.supportAddress ?? null, fromName: name, isOfCreator };
  },
};
