import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, success } from '../../platform/endpoint/field-types.ts';
import type { MailKind } from '../../platform/endpoint/mail-kind.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { findBrand } from '../brand/store.ts';
import { isMailable } from '../mail/address.ts';
import { refuseMailRate } from '../mail/mail-rates.ts';
import { queueMail } from '../mail/outbox.ts';
import { readNames, subjectField, TEMPLATE_EXAMPLE, templateNames, textField } from './fields.ts';
import { fromShop } from './kinds.ts';
import { shownText } from './shown-text.ts';
import { fillIn, SALE_MAIL_KINDS } from './template.ts';
import { sampleValues } from './values.ts';

/** An e-mail with the values of an example. */
export const testMail: MailKind = {
  name: 'test',
  tries: [],
  async prepare(sql, { creatorId, language, data }, { now }) {
    const { subject = '', text = '', productId = '' } = data;
    const kind = SALE_MAIL_KINDS.find((each) => each === data.kind) ?? 'keys';
    const values = await sampleValues(sql, { kind, language, creatorId, productId }, now);
    return fromShop(fillIn({ subject, text }, values, language), await findBrand(sql, creatorId));
  },
};

/** POST /sendTestMail (rules 13.1). */
export const sendTestMail = endpoint({
  path: '/sendTestMail',
  access: 'admin',
  needs: 'support',
  summary: 'Send an e-mail to buyers as a test',
  description:
    'Sends what /previewMail shows to one address, once. It counts as an e-mail with keys does: see /mailLicense. ' +
    '/listMails shows its state.',
  example: {
    after: ['/deleteMailTemplate'],
    request: { to: EXAMPLE.email, kind: TEMPLATE_EXAMPLE.kind, language: TEMPLATE_EXAMPLE.language },
    reply: { success: true, mailId: MADE_BY_SERVICE.mailId },
  },
  fields: Type.Object({
    to: email('Address of the recipient.'),
    ...templateNames,
    subject: Type.Optional(subjectField),
    text: Type.Optional(textField),
  }),
  reply: success({ mailId: Type.String({ description: 'Identifier of the e-mail in /listMails.' }) }),
  refusals: [
    'creator_mismatch',
    'product_not_found',
    'mail_off',
    'address_not_mailable',
    'mail_rate',
    'creator_mail_rate',
  ],
}).write(async (tx, { fields, scope, origin: { now }, ruleContext: { settings } }) => {
  const { to } = fields;
  const id = await readNames(tx, fields, scope);
  if (isRefusal(id)) return id;
  const shown = await shownText(tx, id, fields, scope);
  if (isRefusal(shown)) return shown;
  if (!settings.sendsMail) return refuse('mail_off');
  if (!isMailable(to)) return refuse('address_not_mailable');
  const beyond = await refuseMailRate(tx, to, scope, now);
  if (beyond !== null) return beyond;
  const { creatorId, language, kind, productId } = id;
  const data = { kind, productId, subject: shown.subject, text: shown.text };
  const mailId = await queueMail(tx, { kind: testMail, to, creatorId, language, licenseKey: null, data, now });
  return { success: true, mailId };
});
