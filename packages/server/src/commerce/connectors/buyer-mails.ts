/**
 * E-mails to the buyers of a connector: noted while an event is applied, and queued in its transaction (rules 15.4).
 */
import { MAIL_LANGUAGES, type MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { NewSaleMail } from '../storefront/sale-mails.ts';
import type { Connector } from './connector.ts';
import type { Subject } from './subject.ts';

/** An e-mail that an event causes. */
export type BuyerMail = Omit<NewSaleMail, 'creatorId' | 'now'>;

/** The parts of an application that e-mails need. */
interface Mailing {
  readonly connector: Connector;
  readonly result: { readonly mails: BuyerMail[] };
}

/**
 * Notes an e-mail about a sale, if the connector sends any. The buyer's language counts unless the connector names
 * some. A connector in test mode writes to the vendor.
 */
export function noteMail(
  { connector, result }: Mailing,
  subject: Pick<Subject, 'email' | 'language'>,
  mail: Omit<BuyerMail, 'to' | 'language' | 'isCopy'>,
): void {
  const { settings, mode } = connector;
  if (!settings.mail || subject.email === null) return;
  const language = languageOf(settings.languages, subject.language);
  const isCopy = mode === 'test';
  for (const to of isCopy ? settings.notify : [subject.email]) result.mails.push({ ...mail, to, language, isCopy });
}

/** Queues the noted e-mails. */
export async function queueMails(
  { tx, connector, result, origin }: Mailing & { readonly tx: Tx; readonly origin: Origin },
  { saleMails }: RuleContext,
): Promise<void> {
  const { creatorId } = connector;
  for (const mail of result.mails) await saleMails.queue(tx, { ...mail, creatorId, now: origin.now });
}

function languageOf(preferred: readonly string[], buyers: string | null): MailLanguage {
  const isOffered = preferred.length === 0 || (buyers !== null && preferred.includes(buyers));
  const wanted = isOffered ? buyers : (preferred[0] ?? null);
  return MAIL_LANGUAGES.find((each) => each === wanted) ?? MAIL_LANGUAGES.find((each) => each === preferred[0]) ?? 'en';
}
