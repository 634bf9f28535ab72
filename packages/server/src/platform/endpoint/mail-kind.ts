/**
 * The kinds of e-mails that slices cause (`Slice.mails`). An e-mail is queued in the transaction that causes it, and
 * its text is made when it is sent (customers/mail/outbox.ts).
 */
import type { Sql } from '../../storage/contract/storage.ts';
import type { RateLimit } from '../rates/rates.ts';
import type { Settings } from './rule-context.ts';

/** The languages of e-mails. */
export const MAIL_LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** A queued mail, as the rule that makes its text gets it. */
export interface QueuedMail {
  readonly mailId: string;
  /** The address of the recipient. */
  readonly to: string;
  /** The creator in whose name it is sent; null: the operator. */
  readonly creatorId: string | null;
  readonly language: MailLanguage;
  /** The license that it is about; null without one. */
  readonly licenseKey: string | null;
  /** Further values of its kind. */
  readonly data: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The text of an e-mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Address for replies; null: that of the sender. */
  readonly replyTo: string | null;
  /** Name of the sender; null: that of the configuration. */
  readonly fromName: string | null;
  /** True if a creator chose the name: the sender is named with the operator then, whose address it is. */
  readonly isOfCreator?: boolean;
}

/** An e-mail that is about to be sent. */
export interface PreparedMail extends MailText {
  /** The limits that its first attempt counts for. Beyond one of them it is dropped. */
  readonly limits?: readonly RateLimit[];
  /** True if a stranger can make any number of such recipients: these share a small part of the hourly limit. */
  readonly isToNewcomer?: boolean;
}

/** The context in which texts are made. */
export interface MailContext {
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A kind of e-mails. */
export interface MailKind {
  /** Its name in the outbox, in /listMails and in metrics. */
  readonly name: string;
  /** Delays of the tries after the first one, in milliseconds. */
  readonly tries: readonly number[];
  /** An e-mail that could not leave for so long fails; two days by default. */
  readonly longestWaitMs?: number;
  /** Rows are deleted once sent or dropped; otherwise they are kept for 30 days. */
  readonly deletedOnceSent?: boolean;
  /** A part of the hourly limit is kept for such kinds, and no other kind can use it up. */
  readonly hasOwnShare?: boolean;
  /**
   * An e-mail to the operator: it passes all others and counts for no share of the hourly limit. Its slice bounds the
   * number of such e-mails.
   */
  readonly isToOperator?: boolean;
  /** Makes the text when the e-mail is sent; null if the e-mail has no purpose any more. */
  prepare(sql: Sql, mail: QueuedMail, context: MailContext): Promise<PreparedMail | null>;
}
