import Type from 'typebox';
import { DAY_MS } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, oneOf, success } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { askRates, countRates } from '../../platform/rates/rates.ts';
import { hashOfAddress, isMailable } from './address.ts';
import { keysMail } from './keys-mail.ts';
import { queueMail } from './outbox.ts';

/** Mails with keys to one address within a day, so that nobody can fill a customer's mailbox. */
const MAX_TO_ADDRESS = 3;
/** Mails of one creator within a day: a creator names the recipients, so an API key could mail the whole world. */
const MAX_OF_CREATOR = 100;

/** POST /mailLicense (rules 13.1). */
export const mailLicense = endpoint({
  path: '/mailLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Mail the key of a license to its customer',
  description:
    'Queues a mail with the key to the address of the license, and to no other. It is sent within seconds and repeated for ' +
    'some hours while the mail server is away; /listMails shows its state. ' +
    `At most ${MAX_TO_ADDRESS} mails a day go to one address, over all its licenses, and at most ${MAX_OF_CREATOR} are those of one creator.`,
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
  refusals: ['license_not_found', 'mail_off', 'address_not_mailable', 'mail_rate', 'creator_mail_rate'],
}).write(
  async (tx, { fields: { licenseKey: given, language = 'en' }, scope, origin: { now }, ruleContext: { settings } }) => {
    const license = await lockLicense(tx, storedLicenseKey(given), scope);
    if (license === undefined) return refuse('license_not_found');
    if (!settings.sendsMail) return refuse('mail_off');
    const { licenseKey, email: to, productId } = license;
    if (!isMailable(to)) return refuse('address_not_mailable');
    const caller = scope.creatorId;
    // By caller: a creator must not use up the mails that the operator or another creator may send to the address.
    const toAddress = {
      subject: `keys ${caller === null ? 'of the operator' : `of ${caller}`} to ${hashOfAddress(foldEmail(to))}`,
      ...{ max: MAX_TO_ADDRESS, windowMs: DAY_MS, partMs: 1 },
    };
    const ofCreator = { subject: `keys of ${caller}`, max: MAX_OF_CREATOR, windowMs: DAY_MS };
    const retryAfterSeconds = await countRates(tx, caller === null ? [toAddress] : [toAddress, ofCreator], now);
    if (retryAfterSeconds !== null) {
      const isOfCreator = caller !== null && (await askRates(tx, [ofCreator], now)) !== null;
      return refuse(isOfCreator ? 'creator_mail_rate' : 'mail_rate', { retryAfterSeconds });
    }
    const creatorId = (await findProduct(tx, productId, { creatorId: null }))?.creatorId ?? null;
    const mailId = await queueMail(tx, { kind: keysMail, to, creatorId, language, licenseKey, data: {}, now });
    return { success: true, mailId, to };
  },
);
