/** E-mails with the key of one license, which staff, creators and replacements cause (rules 13.1). */
import type { License } from '../../licensing/licenses/license.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { isMailable } from './address.ts';
import { keysMail } from './keys-mail.ts';
import { refuseMailRate } from './mail-rates.ts';
import { queueMail } from './outbox.ts';

/** The refusals of an e-mail with a key. */
export type KeyMailRefusal = Refusal<'mail_off' | 'address_not_mailable' | 'mail_rate' | 'creator_mail_rate'>;

/**
 * The refusal to mail a key to an address; null counts the e-mail.
 *
 * @param scope of the caller, whose e-mails are counted
 * @param now milliseconds since 1970
 */
export async function refuseKeyMail(
  tx: Tx,
  to: string,
  scope: Scope,
  { sendsMail }: Pick<Settings, 'sendsMail'>,
  now: number,
): Promise<KeyMailRefusal | null> {
  if (!sendsMail) return refuse('mail_off');
  if (!isMailable(to)) return refuse('address_not_mailable');
  return refuseMailRate(tx, to, scope, now);
}

/** The e-mail with the key of a license. */
export interface KeyMail {
  readonly to: string;
  readonly language: MailLanguage;
  readonly data: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Queues an e-mail with a key, in the name of the owner of its product; returns the id of the e-mail. */
export async function queueKeyMail(
  tx: Tx,
  { licenseKey, productId }: Pick<License, 'licenseKey' | 'productId'>,
  mail: KeyMail,
): Promise<string> {
  const creatorId = (await findProduct(tx, productId, { creatorId: null }))?.creatorId ?? null;
  return queueMail(tx, { ...mail, kind: keysMail, creatorId, licenseKey });
}
