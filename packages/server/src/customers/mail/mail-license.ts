import Type from 'typebox';
import { type License, storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase, listOwnersOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import { lockLicense } from '../../licensing/licenses/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, licenseKeyField, oneOf, success, text } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { keysMail } from './keys-mail.ts';
import { isElsewhere, noteOtherAddress, queueLicenseMail, refuseLicenseMail } from './license-mail.ts';
import { MAX_OF_CREATOR, MAX_TO_ADDRESS } from './mail-rates.ts';
import { retentionOf } from './schedule.ts';
import { lockMail, requeueMail } from './store.ts';

const MISSING = 'Missing licenseKey, purchaseId or mailId';

/** POST /mailLicense (rules 13.1). */
export const mailLicense = endpoint({
  path: '/mailLicense',
  access: 'admin',
  needs: 'support',
  summary: 'Mail the key of a license to its customer',
  description:
    'Queues an e-mail with the key to the address of the license, or with all keys of a purchase. `to` names another address, ' +
    'which a note on the license tells. `mailId` sends a failed e-mail again, whatever its kind. The e-mail is sent within seconds and repeated for ' +
    'some hours while the mail server is away; /listMails shows its state. ' +
    `At most ${MAX_TO_ADDRESS} e-mails a day go to one address, over all its licenses, and at most ${MAX_OF_CREATOR} are those of one creator.`,
  example: {
    after: ['/createLicense'],
    request: { licenseKey: MADE_BY_SERVICE.licenseKey },
    reply: { success: true, mailId: MADE_BY_SERVICE.mailId, to: EXAMPLE.email },
  },
  fields: Type.Object({
    licenseKey: Type.Optional(licenseKeyField),
    purchaseId: Type.Optional(text('A purchase in place of a license: all its keys that are not revoked are mailed.')),
    mailId: Type.Optional(
      text('A failed e-mail about a license, in place of that license: the same e-mail is tried again.'),
    ),
    to: Type.Optional(email('Another address in place of that of the license.')),
    language: Type.Optional(oneOf('Language of the e-mail; `en` by default.', MAIL_LANGUAGES, 'MailLanguage')),
  }),
  missing: MISSING,
  reply: success({
    mailId: Type.String({ description: 'Identifier of the e-mail in /listMails.' }),
    to: Type.String({ description: 'The address that it is sent to.' }),
  }),
  refusals: ['license_not_found', 'mail_off', 'address_not_mailable', 'mail_rate', 'creator_mail_rate'],
}).write(async (tx, { fields, scope, origin, ruleContext: { settings } }) => {
  const { licenseKey: given, purchaseId, mailId: failedId, language = 'en' } = fields;
  const named = [given, purchaseId, failedId].filter((each) => each !== undefined);
  if (named.length === 0) return refuse('missing_fields', { details: { message: MISSING } });
  if (named.length > 1) return invalid('Provide licenseKey, purchaseId or mailId, only one of them');
  if (failedId !== undefined) return sendAgain(tx, failedId, { scope, now: origin.now, sendsMail: settings.sendsMail });
  const found =
    given === undefined ? await findPurchased(tx, purchaseId!, scope) : { licenseKey: storedLicenseKey(given) };
  if (isRefusal(found)) return found;
  const license = await lockLicense(tx, found.licenseKey, scope);
  if (license === undefined) return refuse('license_not_found');
  const { now } = origin;
  const to = fields.to ?? license.email;
  const beyond = await refuseLicenseMail(tx, to, scope, settings, now);
  if (beyond !== null) return beyond;
  const goesElsewhere = isElsewhere(to, license);
  const subject = purchaseId === undefined ? 'The key was' : 'The keys of the purchase were';
  if (goesElsewhere) await noteOtherAddress(tx, origin, license, { subject, to, scope });
  const data = {
    ...(purchaseId === undefined ? {} : { purchaseId }),
    ...(goesElsewhere ? { isElsewhere: 'yes' } : {}),
  };
  const mailId = await queueLicenseMail(tx, keysMail, license, { to, language, data, now });
  return { success: true, mailId, to };
});

/** Queues a failed e-mail about a license anew. */
async function sendAgain(
  tx: Tx,
  mailId: string,
  { scope, now, sendsMail }: { readonly scope: Scope; readonly now: number; readonly sendsMail: boolean },
) {
  const mail = await lockMail(tx, mailId, scope);
  if (mail === undefined || mail.licenseKey === null) return refuse('license_not_found');
  if (mail.state !== 'failed') return invalid('mailId must be that of a failed e-mail');
  const beyond = await refuseLicenseMail(tx, mail.to, scope, { sendsMail }, now);
  if (beyond !== null) return beyond;
  await requeueMail(tx, mailId, now, now + retentionOf({}));
  return { success: true, mailId, to: mail.to } as const;
}

/** The first license of a purchase within reach of the caller. */
async function findPurchased(
  tx: Tx,
  purchaseId: string,
  { creatorId }: Scope,
): Promise<License | Refusal<'license_not_found' | 'invalid_field'>> {
  const owners = creatorId === null ? await listOwnersOfPurchase(tx, purchaseId) : [creatorId];
  if (owners.length > 1) return invalid('purchaseId names sales of several creators; provide licenseKey');
  const [owner] = owners;
  const found = owner === undefined ? undefined : await findLicenseOfPurchase(tx, { purchaseId, creatorId: owner });
  return found ?? refuse('license_not_found');
}

function invalid(message: string): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message } });
}
