import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { refusalToReplace, replaceKey } from '../../licensing/licenses/replacement.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { isMailable } from '../mail/address.ts';
import { keysMail } from '../mail/keys-mail.ts';
import { OF_REPLACEMENT, queueLicenseMail } from '../mail/license-mail.ts';
import { keyOfRef, refOfLicense } from './cards.ts';
import { isNewKeyAllowed, limitOfNewKeys } from './new-key.ts';
import { signedInBy } from './session.ts';
import { CUSTOMER, CUSTOMER_CALLS } from './shapes.ts';

/** The reason in the events of both licenses. */
const REASON = 'The customer asked for a new key.';

/**
 * Gives a license a new key as /replaceLicense does, once in 30 days, and mails it to the address of the license (rules
 * 13.11). It is decided under the license's lock, so of many requests at once one is granted.
 */
export const replaceMyKey = inner('replaceMyKey', CUSTOMER, CUSTOMER_CALLS.replaceMyKey, [
  'customer_not_signed_in',
  'license_gone',
  'new_keys_off',
  'new_key_spent',
]).write(async (tx, { fields, now: at, origin, ruleContext }) => {
  const signedIn = await signedInBy(tx, fields.session, { now: at, ruleContext });
  if (isRefusal(signedIn)) return signedIn;
  const { session, actor, scope, now } = signedIn;
  const licenseKey = await keyOfRef(tx, signedIn, fields.license);
  const license = licenseKey === undefined || scope === null ? undefined : await lockLicense(tx, licenseKey, scope);
  if (license === undefined || foldEmail(license.email) !== session.emailFolded) return refuse('license_gone');
  if (refusalToReplace(license) !== null) return refuse('license_gone');
  if (!(await isNewKeyAllowed(tx, license, now))) return refuse('new_keys_off');
  const pause = await countRates(tx, [await limitOfNewKeys(tx, license)], now);
  if (pause !== null) return refuse('new_key_spent', { extra: { nextAt: toTimestamp(now + pause * 1000) } });
  const replacing = await replaceKey(tx, { ...origin, actor }, license, REASON, ruleContext.moveRows);
  const { email: to } = license;
  const mailed = ruleContext.settings.sendsMail && isMailable(to);
  if (mailed)
    await queueLicenseMail(tx, keysMail, replacing, { to, language: fields.language, data: OF_REPLACEMENT, now });
  return { ref: refOfLicense(replacing.licenseKey), mailed };
});
