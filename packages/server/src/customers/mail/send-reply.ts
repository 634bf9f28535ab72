import Type from 'typebox';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, licenseKeyField, oneOf, success, text } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { isElsewhere, noteOtherAddress, queueLicenseMail, refuseLicenseMail } from './license-mail.ts';
import { LONGEST_REPLY, LONGEST_SUBJECT, refuseReply, replyMail, tidyReply } from './reply.ts';

/** POST /sendReply (rules 13.1). */
export const sendReply = endpoint({
  path: '/sendReply',
  access: 'admin',
  needs: 'support',
  summary: 'Send a reply to the customer of a license',
  description:
    'Queues an e-mail with the given words to the address of the license, in the name of the brand of its product; ' +
    'answers go to the support address of that brand. `to` names another address, which a note on the license tells. ' +
    'The words of a creator have no addresses and no links. Where the pages at /my are on, the e-mail ends with their address, in ' +
    '`language`. It counts as an e-mail with keys does: see /mailLicense, whose `mailId` sends it again if it fails. ' +
    'The words are in no list, event or log, and are deleted with the e-mail, after 30 days.',
  example: {
    after: ['/mailLicense'],
    request: {
      licenseKey: MADE_BY_SERVICE.licenseKey,
      subject: 'Your license for Tapehead',
      text: 'Hello,\n\nyour old computer is freed. Please start the app again.\n\nKind regards',
    },
    reply: { success: true, mailId: MADE_BY_SERVICE.mailId, to: EXAMPLE.email },
  },
  fields: Type.Object({
    licenseKey: licenseKeyField,
    subject: text('Subject of the e-mail, on one line.', LONGEST_SUBJECT),
    text: text('The words, plain: line breaks stay as they are.', LONGEST_REPLY),
    to: Type.Optional(email('Another address in place of that of the license.')),
    language: Type.Optional(oneOf('Language of the words; `en` by default.', MAIL_LANGUAGES, 'MailLanguage')),
  }),
  reply: success({
    mailId: Type.String({ description: 'Identifier of the e-mail in /listMails.' }),
    to: Type.String({ description: 'The address that it is sent to.' }),
  }),
  refusals: ['license_not_found', 'mail_off', 'address_not_mailable', 'mail_rate', 'creator_mail_rate'],
}).write(async (tx, { fields, scope, origin, ruleContext: { settings } }) => {
  const { licenseKey: given, language = 'en' } = fields;
  const reply = tidyReply(fields);
  const fault = refuseReply(reply, scope);
  if (fault !== null) return fault;
  const license = await lockLicense(tx, storedLicenseKey(given), scope);
  if (license === undefined) return refuse('license_not_found');
  const { now } = origin;
  const to = fields.to ?? license.email;
  const beyond = await refuseLicenseMail(tx, to, scope, settings, now);
  if (beyond !== null) return beyond;
  const goesElsewhere = isElsewhere(to, license);
  if (goesElsewhere) await noteOtherAddress(tx, origin, license, { subject: 'A reply was', to, scope });
  const data = { ...reply, ...(goesElsewhere ? { isElsewhere: 'yes' } : {}) };
  const mailId = await queueLicenseMail(tx, replyMail, license, { to, language, data, now });
  return { success: true, mailId, to };
});
