import Type from 'typebox';
import { hashOfAddress } from '../../customers/mail/address.ts';
import { queueMail } from '../../customers/mail/outbox.ts';
import { TEST_TEXT } from '../../customers/mail/test-text.ts';
import { HOUR_MS } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { countRates } from '../../platform/rates/rates.ts';
import { toOperator } from './notice-mail.ts';

/** Maximum number of tests per hour at one address. */
const MAX_IN_HOUR = 10;

/** Tries once: the person who sent it waits for the result. */
export const operatorTestMail = toOperator('operator_test', { tries: [], textOf: () => TEST_TEXT });

/** POST /testOperatorMail (rules 13.10). */
export const testOperatorMail = endpoint({
  path: '/testOperatorMail',
  access: 'superAdmin',
  summary: 'Send a test e-mail to the operator',
  description:
    'Sends the e-mail of `latchkey send-test-mail` to each address of `LATCHKEY_OPERATOR_EMAIL`, or to one of them, by the ' +
    'running service and once, within seconds. /listMails shows each under its `mailId`: as sent, or as failed with the ' +
    'answer of the mail server in `lastError`. At most ten an hour go to an address.',
  example: {
    request: {},
    reply: { success: true, mailIds: [MADE_BY_SERVICE.mailId] },
  },
  fields: Type.Object({
    to: Type.Optional(email('One of the addresses of the operator; all of them by default.')),
  }),
  reply: success({
    mailIds: Type.Array(Type.String(), {
      description: 'Identifiers of the e-mails in /listMails, one for each address.',
    }),
  }),
  refusals: ['mail_off', 'not_operator_address', 'operator_test_rate'],
}).write(async (tx, { fields, origin: { now }, ruleContext: { settings } }) => {
  if (!settings.sendsMail) return refuse('mail_off');
  const { to } = fields;
  const addresses = (settings.operatorNotices?.addresses ?? []).filter(
    (address) => to === undefined || foldEmail(address) === foldEmail(to),
  );
  if (addresses.length === 0) return refuse('not_operator_address');
  const limits = addresses.map((address) => {
    const subject = `tests to ${hashOfAddress(foldEmail(address))}`;
    return { subject, max: MAX_IN_HOUR, windowMs: HOUR_MS };
  });
  const retryAfterSeconds = await countRates(tx, limits, now);
  if (retryAfterSeconds !== null) return refuse('operator_test_rate', { retryAfterSeconds });
  const mailIds: string[] = [];
  const mail = { kind: operatorTestMail, creatorId: null, language: 'en', licenseKey: null, data: {}, now } as const;
  for (const address of addresses) mailIds.push(await queueMail(tx, { ...mail, to: address }));
  return { success: true, mailIds };
});
