/** E-mails to the operator: their kinds, and the e-mail about conditions that began, last or ended. */

import { layOut } from '../../customers/mail/layout.ts';
import { type NewMail, queueMail } from '../../customers/mail/outbox.ts';
import { HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { counted } from '../../ground/base/count-words.ts';
import type { MailKind, MailText } from '../../platform/endpoint/mail-kind.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { elementsOf, isText, parseStored } from '../../storage/contract/stored-json.ts';
import type { News } from './condition.ts';
import { adviceOf, momentText, overOf, placeOf, titleOf } from './sentences.ts';
import type { OperatorNotices } from './settings.ts';

/** News in one e-mail; the console shows the others. */
const MAX_NEWS = 40;
const REASON = 'You get this e-mail because LATCHKEY_OPERATOR_EMAIL of the service names your address.';

/** A kind of e-mails to the operator. */
export function toOperator(
  name: string,
  { tries, textOf }: Pick<MailKind, 'tries'> & { readonly textOf: (data: NewMail['data']) => MailText },
): MailKind {
  return {
    name,
    tries,
    isToOperator: true,
    async prepare(_sql, { to, data }, { settings }) {
      // The configuration may have changed since.
      return settings.operatorNotices?.addresses.includes(to) === true ? textOf(data) : null;
    },
  };
}

/** E-mails whose text was made when they were queued. */
const NEWS = {
  // They outlast a mail server that is away for a day.
  tries: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
  textOf({ subject = '', paragraphs = '' }: NewMail['data']): MailText {
    const texts = elementsOf(parseStored(paragraphs), isText);
    return { ...layOut('en', subject, texts), replyTo: null, fromName: null };
  },
};

/** Tells of conditions. */
export const noticeMail = toOperator('operator_notice', NEWS);
/** Sums up a week. */
export const digestMail = toOperator('operator_digest', NEWS);

/** An e-mail to the operator, as plain text. */
export interface OperatorText {
  /** Without the name of the installation. */
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

/** Queues an e-mail to each address of the operator. @param now milliseconds since 1970 */
export async function queueToOperator(
  tx: Tx,
  kind: MailKind,
  { addresses, label }: OperatorNotices,
  { subject, paragraphs }: OperatorText,
  now: number,
): Promise<void> {
  const data = {
    subject: `Latchkey${label === null ? '' : ` ${label}`}: ${subject}`,
    paragraphs: JSON.stringify([...paragraphs, REASON]),
  };
  for (const to of addresses)
    await queueMail(tx, { kind, to, creatorId: null, language: 'en', licenseKey: null, data, now });
}

/** The address of a place in the console as lines of a paragraph; none if the service does not know its own. */
export function linkTo({ consoleUrl }: Pick<OperatorNotices, 'consoleUrl'>, place: string): readonly string[] {
  return consoleUrl === null ? [] : [`${consoleUrl}/#/${place}`];
}

/** The e-mail about some news: conditions that begin or become graver first, then those that last, then the ends. */
export function noticeText(settings: OperatorNotices, news: readonly News[]): OperatorText {
  const of = (wanted: News['what']) => news.filter(({ what }) => what === wanted);
  const [began, last, ended] = [of('began'), of('lasts'), of('ended')];
  const shown = [...began, ...last, ...ended];
  const paragraphs = shown.slice(0, MAX_NEWS).map((each) => paragraphOf(settings, each));
  const left = shown.length - paragraphs.length;
  return {
    subject: subjectOf(began, last, ended),
    paragraphs: [...paragraphs, ...(left === 0 ? [] : [`The console shows ${left} more.`])],
  };
}

function paragraphOf(settings: OperatorNotices, news: News): string {
  const { what, since } = news;
  if (what === 'ended') return `Over: ${overOf(news)}.`;
  const duration = what === 'lasts' ? `Still so, since ${momentText(new Date(since).toISOString())}: ` : '';
  return [`${duration}${titleOf(news)}.`, adviceOf(news), ...linkTo(settings, placeOf(news))].join('\n');
}

function subjectOf(began: readonly News[], last: readonly News[], ended: readonly News[]): string {
  const [first, ...others] = [...began.map(titleOf), ...last.map(titleOf), ...ended.map(overOf)];
  if (others.length === 0) return first ?? '';
  return [
    ...(began.length === 0 ? [] : [counted(began.length, 'new condition')]),
    ...(last.length === 0 ? [] : [`${last.length} ${last.length === 1 ? 'lasts' : 'last'}`]),
    ...(ended.length === 0 ? [] : [`${ended.length} over`]),
  ].join(', ');
}
