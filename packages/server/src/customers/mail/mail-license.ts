import Type from 'typebox';
import { DAY_MS, fromTimestamp } from '../../ground/base/clock.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, oneOf, success } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { isMailable } from './address.ts';
import { keysMail } from './keys-mail.ts';
import { queueMail } from './outbox.ts';
import { findRecentMails } from './store.ts';

/** Mails of one key within a day, so that nobody can fill a customer's mailbox. */
export const MAX_IN_DAY = 3;

/** POST /mailLicense (rules 13.1). */
export const mailLicense = endpoint({
  path: '/mailLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Mail the key of a license to its customer',
  description:
    'Queues a mail with the key to the address of the license, and to no other. It is sent within seconds and repeated for ' +
    'some hours while the mail server is away; /listMails shows its state. ' +
    `A key is mailed at most ${MAX_IN_DAY} times a day.`,
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: { success: true, mailId: MADE_BY_SERVICE.mailId, to: EXAMPLE.email },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    language: Type.Optional(oneOf('Language of the mail; `en` by default.', MAIL_LANGUAGES, 'MailLanguage')),
  }),
  reply: success({
    mailId: Type.String({ description: 'Identifier of the mail in /listMails.' }),
    to: Type.String({ description: 'The address that it is sent to.' }),
  }),
  refusals: ['license_not_found', 'mail_off', 'address_not_mailable', 'mail_rate'],
}).write(
  async (tx, { fields: { licenseKey: given, language = 'en' }, scope, origin: { now }, ruleContext: { settings } }) => {
    // The lock makes the limit exact.
    const license = await lockLicense(tx, storedLicenseKey(given), scope);
    if (license === undefined) return refuse('license_not_found');
    if (!settings.sendsMail) return refuse('mail_off');
    const { licenseKey, email: to, productId } = license;
    if (!isMailable(to)) return refuse('address_not_mailable');
    const { count, oldestAt } = await findRecentMails(tx, licenseKey, keysMail.name, now - DAY_MS);
    if (count >= MAX_IN_DAY) {
      const freeAt = fromTimestamp(oldestAt ?? '') + DAY_MS;
      return refuse('mail_rate', { retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)) });
    }
    const creatorId = (await findProduct(tx, productId, { creatorId: null }))?.creatorId ?? null;
    const mailId = await queueMail(tx, { kind: keysMail, to, creatorId, language, licenseKey, data: {}, now });
    return { success: true, mailId, to };
  },
);
