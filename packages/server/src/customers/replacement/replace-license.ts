import Type from 'typebox';
import { shownLicenseKey, storedLicenseKey } from '../../licensing/licenses/license.ts';
import { refusalToReplace, replaceKey, successorFields } from '../../licensing/licenses/replacement.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, licenseKeyField, oneOf, success, text } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { keysMail } from '../mail/keys-mail.ts';
import { OF_REPLACEMENT, queueLicenseMail, refuseLicenseMail } from '../mail/license-mail.ts';

/** POST /replaceLicense (rules 4.24.1). */
export const replaceLicense = endpoint({
  path: '/replaceLicense',
  access: 'admin',
  needs: 'support',
  quota: 'licenses',
  summary: 'Give a license another key',
  description:
    'Issues a license with a new key in the place of one whose key is known to others. Terms, address, purchase, ' +
    'machines, users, use, files and notes go over to it, and later renewals and refunds reach it. The old license ' +
    'stays as revoked for good. Apps that send `acceptsReplacement` to /validate go on by themselves; others ask for ' +
    'the new key. `mail` sends it to the address of the license, within the limits of /mailLicense; if that is refused, ' +
    'nothing is replaced.',
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey, reason: 'The key stood in a forum.', mail: true },
    reply: {
      success: true,
      licenseKey: MADE_BY_SERVICE.replacingKey,
      replacedKey: MADE_BY_SERVICE.licenseKey,
      mailed: true,
    },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    reason: Type.Optional(text('Why, for the history of the license.', 500)),
    mail: Type.Optional(flag('Whether to e-mail the new key to the address of the license.')),
    language: Type.Optional(oneOf('Language of the e-mail; `en` by default.', MAIL_LANGUAGES, 'MailLanguage')),
  }),
  reply: success({
    licenseKey: Type.String({ description: 'The new key.' }),
    replacedKey: Type.String({ description: 'The key in whose place it is.' }),
    mailed: Type.Optional(Type.Boolean({ description: 'Present where an e-mail with the new key was queued.' })),
  }),
  refusals: [
    'license_not_found',
    'license_already_replaced',
    'revoked_not_replaceable',
    'mail_off',
    'address_not_mailable',
    'mail_rate',
    'creator_mail_rate',
  ],
  refusalFields: { license_already_replaced: successorFields },
}).write(async (tx, { fields, scope, origin, ruleContext: { settings, moveRows } }) => {
  const license = await lockLicense(tx, storedLicenseKey(fields.licenseKey), scope);
  if (license === undefined) return refuse('license_not_found');
  const refusal = refusalToReplace(license);
  if (refusal !== null) return refusal;
  const { now } = origin;
  const { mail = false, language = 'en', reason } = fields;
  const to = license.email;
  const beyond = mail ? await refuseLicenseMail(tx, to, scope, settings, now) : null;
  if (beyond !== null) return beyond;
  const replacing = await replaceKey(tx, origin, license, reason, moveRows);
  if (mail) await queueLicenseMail(tx, keysMail, replacing, { to, language, data: OF_REPLACEMENT, now });
  return {
    success: true,
    licenseKey: replacing.licenseKey,
    replacedKey: shownLicenseKey(license),
    ...(mail ? { mailed: true } : {}),
  };
});
