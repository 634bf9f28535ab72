/** The sender of e-mails. */
import type { Sender } from '../../platform/senders/sender.ts';
import type { MailLimits, MailStore } from './mail-store.ts';
import { MAIL_BOUNDS, type MailBounds } from './sender.ts';
import type { SmtpSettings } from './smtp.ts';

declare module '../../platform/senders/sender.ts' {
  interface SenderSettings {
    readonly mails: MailSending | null;
  }
}

/** Settings of the sender of e-mails. */
export interface MailSending {
  readonly smtp: SmtpSettings;
  readonly limits: MailLimits;
  /** The names of the kinds of e-mails that this version knows. */
  readonly kinds: readonly string[];
  /** Overrides of the usual bounds, for tests. */
  readonly bounds: Partial<MailBounds>;
}

export const mailSender: Sender<'mails'> = {
  name: 'mails',
  reads: ['findDueMail'] satisfies (keyof MailStore)[],
  writes: ['beginMails', 'endMails', 'giveBackMails'] satisfies (keyof MailStore)[],
  lookMs: ({ bounds }) => ({ ...MAIL_BOUNDS, ...bounds }).lookMs,
  loadStore: async () => (await import('./mail-store.ts')).mailStore,
  start: async (parts) => (await import('./sending.ts')).startSendingMails(parts),
};
