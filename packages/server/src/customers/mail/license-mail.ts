/** E-mails about one license, which staff, creators, customers and replacements cause (rules 13.1). */
import { foldEmail } from '../../ground/base/typed-text.ts';
import { changeLicense } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { MailKind, MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { isMailable } from './address.ts';
import { refuseMailRate } from './mail-rates.ts';
import { queueMail } from './outbox.ts';

/** The refusals of an e-mail about a license. */
export type LicenseMailRefusal = Refusal<'mail_off' | 'address_not_mailable' | 'mail_rate' | 'creator_mail_rate'>;

/**
 * The refusal to mail a key or a reply to an address; null counts the e-mail.
 *
 * @param scope of the caller, whose e-mails are counted
 * @param now milliseconds since 1970
 */
export async function refuseLicenseMail(
  tx: Tx,
  to: string,
  scope: Scope,
  { sendsMail }: Pick<Settings, 'sendsMail'>,
  now: number,
): Promise<LicenseMailRefusal | null> {
  if (!sendsMail) return refuse('mail_off');
  if (!isMailable(to)) return refuse('address_not_mailable');
  return refuseMailRate(tx, to, scope, now);
}

/** An e-mail about a license. */
export interface LicenseMail {
  readonly to: string;
  readonly language: MailLanguage;
  readonly data: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The data of an e-mail with a key that took the place of another. */
export const OF_REPLACEMENT = { isReplacement: 'yes' } as const;

/** Queues an e-mail about a license, in the name of the owner of its product; returns the id of the e-mail. */
export async function queueLicenseMail(
  tx: Tx,
  kind: MailKind,
  { licenseKey, productId }: Pick<License, 'licenseKey' | 'productId'>,
  mail: LicenseMail,
): Promise<string> {
  const creatorId = (await findProduct(tx, productId, { creatorId: null }))?.creatorId ?? null;
  return queueMail(tx, { ...mail, kind, creatorId, licenseKey });
}

/** Whether an e-mail leaves for another address than that of the license. */
export function isElsewhere(to: string, { email }: Pick<License, 'email'>): boolean {
  return foldEmail(to) !== foldEmail(email);
}

/** Leaves a note on the license that an e-mail about it went to another address than its own. */
export async function noteOtherAddress(
  tx: Tx,
  origin: Origin,
  { licenseKey, email }: Pick<License, 'licenseKey' | 'email'>,
  { subject, to, scope }: { readonly subject: string; readonly to: string; readonly scope: Scope },
): Promise<void> {
  await changeLicense(tx, origin, { licenseKey, scope }, () => ({
    type: 'license.noted',
    entry: { subject: null, before: null, after: { text: `${subject} mailed to ${to} in place of ${email}.` } },
  }));
}
