/** Logs and measures mails, from the news of their sender. */
import type { Logger } from 'pino';
import { mailKinds } from '../app.ts';
import type { MailNews } from '../mail/mail-store.ts';
import type { Measures } from '../measures/measures.ts';

const OUTCOMES = ['sent', 'repeated', 'failed', 'dropped'] as const satisfies MailNews['outcome'][];

/** Returns a listener that logs mails that failed for good. */
export function logMails(logger: Pick<Logger, 'warn'>): (news: MailNews) => void {
  return ({ mailId, kind, outcome, error }) => {
    if (outcome === 'failed') logger.warn({ event: 'mail.failed', mailId, kind, error });
  };
}

/** Returns a listener that counts; a node that sends nothing exports zeros. */
export function measureMails(measures: Measures): (news: MailNews) => void {
  const counters = new Map(
    mailKinds.flatMap(({ name: kind }) =>
      OUTCOMES.map(
        (outcome) => [`${kind} ${outcome}`, measures.counter('latchkey_mails_total', { kind, outcome })] as const,
      ),
    ),
  );
  return ({ kind, outcome }) => {
    const counter = counters.get(`${kind} ${outcome}`);
    if (counter !== undefined) counter.value += 1;
  };
}
