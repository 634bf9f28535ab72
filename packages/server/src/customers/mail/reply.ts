/** A reply to the customer of a license: its bounds, and the e-mail that it becomes (rules 13.1). */
import { holdsAddress, holdsHost } from '../../ground/base/link-like-name.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { MailKind } from '../../platform/endpoint/mail-kind.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { findBrand } from '../brand/store.ts';
import { keysMail } from './keys-mail.ts';
import { layOut } from './layout.ts';
import { pagesParagraphs } from './pages-words.ts';
import { sentBy } from './sent-by.ts';

/** A reply as its author wrote it. */
export interface Reply {
  readonly subject: string;
  readonly text: string;
}

/** Length of a subject, in characters. */
export const LONGEST_SUBJECT = 200;
/** Length of a text, in characters. */
export const LONGEST_REPLY = 10_000;

/** Ends a line or controls a terminal. */
const ENDS_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** A line break and a tabulator are the only control characters in a text. */
const CONTROL = /(?![\n\t])\p{Cc}/u;

/** A reply in the form in which it is stored: lines end with LF, and no space surrounds the subject. */
export function tidyReply({ subject, text }: Reply): Reply {
  return { subject: subject.trim(), text: text.replace(/\r\n?/g, '\n') };
}

/**
 * Refuses a tidy reply that no customer can read, or that a creator may not send from the operator's address; null if
 * it is good.
 *
 * @param scope the caller's
 */
export function refuseReply({ subject, text }: Reply, { creatorId }: Scope): Refusal<'invalid_field'> | null {
  const invalid = (message: string) => refuse('invalid_field', { details: { message } });
  if (ENDS_LINE.test(subject)) return invalid('subject must be one line without control characters');
  if (CONTROL.test(text)) return invalid('text must have no control characters except line breaks');
  for (const [field, given] of Object.entries({ subject, text })) {
    if (!/[^\p{C}\p{Z}]/u.test(given)) return invalid(`${field} must have visible characters`);
    if (creatorId !== null && (holdsAddress(given) || holdsHost(given)))
      return invalid(`${field} must not have addresses or links; the operator can send them`);
  }
  return null;
}

/** The e-mail with a reply: its words as they were written, and the way to the pages for customers. */
export const replyMail: MailKind = {
  name: 'reply',
  tries: keysMail.tries,
  async prepare(sql, { licenseKey, to, creatorId, language, data }, { settings }) {
    const license = licenseKey === null ? undefined : await findLicense(sql, licenseKey, { creatorId: null });
    if (license === undefined) return null;
    // The words are for the owner of the license, who has another address by now.
    if (data.isElsewhere !== 'yes' && foldEmail(license.email) !== foldEmail(to)) return null;
    const { subject = '', text = '' } = data;
    const parts = [...text.split('\n\n'), ...pagesParagraphs(language, creatorId, settings)];
    return { ...layOut(language, subject, parts), ...sentBy(await findBrand(sql, creatorId)) };
  },
};
