/** The outbox: the only way into the table of e-mails (rules 13.1). */
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import type { MailKind, MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { mintMailId } from './mail.ts';
import { retentionOf } from './schedule.ts';
import { insertMail } from './store.ts';

/** An e-mail to queue. */
export interface NewMail {
  readonly kind: MailKind;
  readonly to: string;
  /** The creator in whose name it is sent; null: the operator. */
  readonly creatorId: string | null;
  readonly language: MailLanguage;
  readonly licenseKey: string | null;
  readonly data: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Queues an e-mail in the transaction that causes it: the e-mail is sent if that transaction commits, and only then.
 * The address is judged when the e-mail is due, so that queueing takes the same work for every address.
 *
 * @returns the id of the e-mail
 */
export async function queueMail(tx: Tx, { kind, to, now, ...mail }: NewMail): Promise<string> {
  const mailId = mintMailId(now);
  const { creatorId, language, licenseKey, data } = mail;
  await insertMail(tx, {
    ...{ mailId, kind: kind.name, to, toFolded: foldEmail(to), creatorId, language, licenseKey, data },
    ...{ messageId: null, state: 'waiting', attempts: 0, dueAt: toTimestamp(now), lastError: null },
    ...{ createdAt: toTimestamp(now), settledAt: null, keptUntil: toTimestamp(now + retentionOf(kind)) },
  });
  return mailId;
}
