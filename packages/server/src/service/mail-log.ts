/** Logs mails, from the news of their sender. */
import type { Logger } from 'pino';
import type { MailNews } from '../mail/mail-store.ts';

/** Returns a listener that logs mails that failed for good. */
export function logMails(logger: Pick<Logger, 'warn'>): (news: MailNews) => void {
  return ({ mailId, kind, outcome, error }) => {
    if (outcome === 'failed') logger.warn({ event: 'mail.failed', mailId, kind, error });
  };
}
