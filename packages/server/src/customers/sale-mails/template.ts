/** The texts of e-mails to buyers: their placeholders, and the e-mail that values make of them (rules 13.1). */
import { holdsAddress, holdsHost } from '../../ground/base/link-like-name.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import { layOut, type MailPart, oneLine } from '../mail/layout.ts';

/** The kinds of e-mails to buyers. `keys_added`: the sale had an e-mail before. */
export const SALE_MAIL_KINDS = ['keys', 'keys_added', 'payment_failed'] as const;
export type SaleMailKind = (typeof SALE_MAIL_KINDS)[number];

/** A text with placeholders. */
export interface TemplateText {
  readonly subject: string;
  readonly text: string;
}

/** A vendor's own text. */
export interface MailTemplate extends TemplateText {
  /** Null: the operator. */
  readonly creatorId: string | null;
  /** Empty: for all products of the creator. */
  readonly productId: string;
  readonly kind: SaleMailKind;
  readonly language: MailLanguage;
  readonly updatedAt: string;
}

/** The placeholders without their braces. */
export const PLACEHOLDERS = ['product', 'variant', 'keys', 'expires', 'shop', 'support'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
/** The placeholders as people write them. */
export const PLACEHOLDER_LIST = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');

export const LONGEST_SUBJECT = 200;
/** In bytes. */
export const LONGEST_TEXT = 4096;
/** Templates of one owner. */
export const MAX_TEMPLATES = 200;

/** A word in braces. Other braces stand for themselves. */
const WRITTEN = /\{([A-Za-z_]+)\}/g;
const KEYS = '{keys}';
/** A line break and a tabulator are the only control characters in a text. */
const CONTROL = /(?![\n\t])\p{Cc}/u;

/** A text in the form in which it is stored: lines end with LF, and the subject is one line. */
export function tidyText({ subject, text }: TemplateText): TemplateText {
  return { subject: oneLine(subject), text: text.replace(/\r\n?/g, '\n') };
}

/**
 * Refuses a tidy text that buyers would not understand, or that a creator may not send from the operator's address;
 * null if it is good.
 *
 * @param scope the caller's
 */
export function refuseTemplate(
  kind: SaleMailKind,
  { subject, text }: TemplateText,
  { creatorId }: Scope,
): Refusal<'invalid_field'> | null {
  if (subject === '') return invalid('subject must have visible characters');
  if (Buffer.byteLength(text) > LONGEST_TEXT) return invalid(`text must have at most ${LONGEST_TEXT} bytes`);
  if (CONTROL.test(text)) return invalid('text must have no control characters except line breaks');
  if (subject.includes(KEYS)) return invalid(`subject must not have ${KEYS}: mail programs show it to bystanders`);
  for (const [field, given] of Object.entries({ subject, text })) {
    for (const [written, name] of given.matchAll(WRITTEN))
      if (!(PLACEHOLDERS as readonly (string | undefined)[]).includes(name))
        return invalid(`${field} must have no placeholders except ${PLACEHOLDER_LIST}; it has ${written.slice(0, 40)}`);
    if (creatorId !== null && (holdsAddress(given) || holdsHost(given)))
      return invalid(`${field} must not have addresses or links; the operator can set them`);
  }
  if (kind === 'payment_failed')
    return text.includes(KEYS) ? invalid(`text of payment_failed must not have ${KEYS}`) : null;
  return text.includes(KEYS) ? null : invalid(`text must have ${KEYS}, or the buyer gets no key`);
}

function invalid(message: string): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message } });
}

/** The values that fill in placeholders. */
export interface TemplateValues extends Readonly<Record<Exclude<Placeholder, 'keys'>, string>> {
  /** Each key with the name of its product and variant. */
  readonly keys: readonly Exclude<MailPart, string>[];
  /** Stands behind the keys; null for nothing. */
  readonly more: string | null;
}

/** An e-mail in both forms. */
export type FilledText = ReturnType<typeof layOut>;

/** Fills in the placeholders. A value is one line, and its braces stand for themselves. */
export function fillIn({ subject, text }: TemplateText, values: TemplateValues, language: MailLanguage): FilledText {
  const filled = (given: string) =>
    given.replace(WRITTEN, (written, name: string) => {
      const value = name === 'keys' ? undefined : values[name as Exclude<Placeholder, 'keys'>];
      return value === undefined ? written : oneLine(value);
    });
  const parts = text.split(/(\{keys\})|\n{2,}/).flatMap((piece): readonly MailPart[] => {
    if (piece === KEYS) return [...values.keys, ...(values.more === null ? [] : [values.more])];
    const paragraph = filled(piece ?? '').trim();
    return paragraph === '' ? [] : [paragraph];
  });
  return layOut(language, oneLine(filled(subject)), parts);
}
