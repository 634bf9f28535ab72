import Type from 'typebox';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { creationRangeFields, fallingStart } from '../../platform/endpoint/creation-range.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { licenseKeyField, nullable, oneOf, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { MAIL_STATES, type Mail } from './mail.ts';
import { listMailRows, listMailsOfLicense, listMailsTo } from './store.ts';

export const mailSchema = resource('Mail', 'An e-mail that was sent, or that waits.', {
  mailId: Type.String({ description: 'Identifier of the e-mail.' }),
  kind: Type.String({
    description:
      '`keys`: the keys of licenses; `reply`: a reply to a customer; `sale_keys`, `keys_added`: the keys of a sale, and further ones; ' +
      '`payment_failed`: a payment of a subscription failed; `test`: a text with example values; `code`: a sign-in code ' +
      'for customers; `operator_notice`, `operator_digest`, `operator_test`: to the operator, about the service.',
  }),
  licenseKey: nullable(Type.String({ description: 'The license that it is about; null without one.' })),
  to: Type.String({ description: 'Address of the recipient.' }),
  language: oneOf('Language of its text.', MAIL_LANGUAGES, 'MailLanguage'),
  state: oneOf(
    '`dropped`: it had no purpose any more when it was due, for example because the address of the license had changed.',
    MAIL_STATES,
    'MailState',
  ),
  attempts: Type.Integer({ description: 'Attempts to hand it to the mail server.' }),
  createdAt: timestamp('When it was queued.'),
  dueAt: nullable(timestamp('The next attempt; null unless it waits.')),
  settledAt: nullable(timestamp('When it was sent, failed or was dropped; null while it waits.')),
  lastError: nullable(Type.String({ description: 'Failure of the last attempt; null without one.' })),
});

/** No index has the e-mails to an address by the other filters. */
const EXCLUDED_BY_ADDRESS = ['licenseKey', 'state'] as const;

/** GET/POST /listMails (rules 13.1). */
export const listMails = endpoint({
  path: '/listMails',
  access: 'admin',
  needs: 'viewer',
  summary: 'List e-mails, newest first',
  description:
    'Lists the e-mails of the last 30 days: all of them, those about one license, those to one address, or those in one ' +
    'state; `to` goes with `createdFrom` and `createdTo` only. E-mails with codes are deleted once they are sent. ' +
    '`nextCursor` is present when there are more; give it as `cursor`.',
  example: {
    after: ['/mailLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: {
      success: true,
      mails: [
        {
          mailId: MADE_BY_SERVICE.mailId,
          kind: 'keys',
          licenseKey: MADE_BY_SERVICE.licenseKey,
          to: EXAMPLE.email,
          language: 'en',
          state: 'waiting',
          attempts: 0,
          createdAt: EXAMPLE_NOW,
          dueAt: EXAMPLE_NOW,
          settledAt: null,
          lastError: null,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    licenseKey: Type.Optional(licenseKeyField),
    state: Type.Optional(oneOf('Only e-mails in this state.', MAIL_STATES)),
    to: Type.Optional(text('Address of the recipient, compared without case.', 320)),
    ...creationRangeFields,
    ...pageFields('E-mails'),
  }),
  reply: pageReply('mails', mailSchema),
  refusals: ['license_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { licenseKey, state, to, createdFrom: from, createdTo, limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const stray = to === undefined ? undefined : EXCLUDED_BY_ADDRESS.find((field) => fields[field] !== undefined);
  if (stray !== undefined)
    return refuse('invalid_field', { details: { message: `${stray} cannot be given together with to` } });
  const range = { after: fallingStart(cursor, createdTo), from, limit: limit + 1 };
  let found: Mail[];
  if (to !== undefined) found = await listMailsTo(sql, foldEmail(to), scope.creatorId, range);
  else if (licenseKey === undefined)
    found = await listMailRows(sql, { creator: scope.creatorId ?? undefined, state }, range);
  else {
    const license = await findLicense(sql, storedLicenseKey(licenseKey), scope);
    if (license === undefined) return refuse('license_not_found');
    found = await listMailsOfLicense(sql, license.licenseKey, state, range);
  }
  const { entries, next } = cutPage(found, limit, ({ createdAt, mailId }) => cursorAfter({ createdAt, id: mailId }));
  return { success: true, mails: entries.map(mailView), count: entries.length, ...next };
});

/** An e-mail as replies show it. */
export function mailView(mail: Mail) {
  const { mailId, kind, licenseKey, to, language, state, attempts, createdAt, settledAt, lastError } = mail;
  const dueAt = state === 'waiting' ? mail.dueAt : null;
  return { mailId, kind, licenseKey, to, language, state, attempts, createdAt, dueAt, settledAt, lastError };
}
