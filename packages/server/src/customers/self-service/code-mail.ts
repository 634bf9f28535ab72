/**
 * The e-mail with a code. Whether it is sent is decided here, long after the page has answered: only an address with a
 * license within the shop gets one, and no more often than the limits allow.
 */

import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { findKeyOfAddress, hasEstablishedLicense } from '../../licensing/licenses/address-listing-store.ts';
import type { MailKind } from '../../platform/endpoint/mail-kind.ts';
import type { RateLimit } from '../../platform/rates/rates.ts';
import { findBrand } from '../brand/store.ts';
import { layOut, oneLine } from '../mail/layout.ts';
import { sentBy } from '../mail/sent-by.ts';
import { codeOfRequest, shownCode } from './code.ts';
import { CODE_TEXTS } from './code-texts.ts';
import { addressAtShop, shopScope } from './session.ts';
import { LIMITS, TIMES } from './settings.ts';
import { type CustomerSignIn, findSignIn } from './sign-in-store.ts';

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
    if (now >= fromTimestamp(signIn.expiresAt)) return null;
    const scope = shopScope(creatorId, selfService);
    if (scope === null || (await findKeyOfAddress(sql, signIn.emailFolded, scope)) === undefined) return null;
    const fresh = { since: toTimestamp(now - TIMES.freshTrial), until: toTimestamp(now + TIMES.longestTrial) };
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
    return {
      ...laidOut,
      ...sentBy(brand),
      limits: limitsOf(signIn),
      isToNewcomer: !(signIn.isKnown || (await hasEstablishedLicense(sql, signIn.emailFolded, fresh))),
    };
  },
};

/**
 * The limits of codes for an address at a shop. Browsers that signed in before have their own, which strangers cannot
 * use up.
 */
function limitsOf({ emailFolded, creatorId, network, isKnown }: CustomerSignIn): readonly RateLimit[] {
  const { codesOfAddress, codesOfAddressAndNetwork } = LIMITS;
  const codes = `codes of ${addressAtShop(emailFolded, creatorId)}${isKnown ? ' in known browsers' : ''}`;
  return [
    { subject: `${codes} in a day`, max: codesOfAddress.day, windowMs: DAY_MS },
    { subject: `${codes} in an hour`, max: codesOfAddress.hour, windowMs: HOUR_MS },
    { subject: `${codes} for ${network ?? 'no network'}`, max: codesOfAddressAndNetwork, windowMs: HOUR_MS },
  ];
}
