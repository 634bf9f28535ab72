/** The words and requests of the texts of e-mails: pure. */
import type { MailLanguage, MailTemplate, SaleMailKind } from '../api/contract.ts';
import type { Refusal } from '../api/refusal.ts';

export const KINDS: readonly { readonly value: SaleMailKind; readonly title: string; readonly sent: string }[] = [
  { value: 'keys', title: 'Keys of a sale', sent: 'Sent when a sale has its first keys.' },
  { value: 'keys_added', title: 'Further keys', sent: 'Sent when a sale that had an e-mail before has further keys.' },
  {
    value: 'payment_failed',
    title: 'Failed payment',
    sent: 'Sent when a payment of a subscription fails, once a day.',
  },
];

export const LANGUAGES: readonly { readonly value: MailLanguage; readonly title: string }[] = [
  { value: 'en', title: 'English' },
  { value: 'de', title: 'German' },
  { value: 'fr', title: 'French' },
  { value: 'es', title: 'Spanish' },
];

/** The text that the screen shows. */
export interface TextName {
  /** '' for the operator, or for the creator who is signed in. */
  readonly owner: string;
  /** '' for all products. */
  readonly product: string;
  readonly kind: SaleMailKind;
  readonly language: MailLanguage;
}

/** The text that an address names; the first kind and language where it names none. */
export function nameIn(values: Readonly<Record<'creator' | 'product' | 'kind' | 'language', string>>): TextName {
  return {
    owner: values.creator,
    product: values.product,
    kind: KINDS.find(({ value }) => value === values.kind)?.value ?? 'keys',
    language: LANGUAGES.find(({ value }) => value === values.language)?.value ?? 'en',
  };
}

/** The fields of requests that name a text. */
export function namesOf({ owner, product, kind, language }: TextName) {
  return {
    ...(owner === '' ? {} : { creatorId: owner }),
    ...(product === '' ? {} : { productId: product }),
    kind,
    language,
  };
}

/** The stored text of exactly this name; undefined without one. */
export function storedIn(
  templates: readonly MailTemplate[],
  { product, kind, language }: TextName,
): MailTemplate | undefined {
  return templates.find(
    (each) => (each.productId ?? '') === product && each.kind === kind && each.language === language,
  );
}

/** Where a text comes from, as a sentence. */
export function originText(stored: MailTemplate | undefined, templates: readonly MailTemplate[], name: TextName) {
  if (stored !== undefined) return 'This is your own text.';
  const isOfOwner = name.product !== '' && storedIn(templates, { ...name, product: '' }) !== undefined;
  return isOfOwner ? 'This is your text for all products.' : 'This is the built-in text.';
}

/** The name of a stored text in a list. */
export function titleOf({ kind, language }: Pick<MailTemplate, 'kind' | 'language'>): string {
  const of = <Value extends string>(
    options: readonly { readonly value: Value; readonly title: string }[],
    value: Value,
  ) => options.find((each) => each.value === value)?.title ?? value;
  return `${of(KINDS, kind)}, ${of(LANGUAGES, language)}`;
}

export type TextField = 'subject' | 'text';
const LABELS: Readonly<Record<TextField, string>> = { subject: 'Subject', text: 'Text' };

/** The field that the service refused, and the reason as a sentence; null if the refusal is about neither. */
export function faultOf({
  code,
  message,
}: Pick<Refusal, 'code' | 'message'>): { readonly field: TextField; readonly why: string } | null {
  if (code !== 'invalid_field') return null;
  const field = /^subject\b/.test(message) ? 'subject' : 'text';
  return { field, why: `${message.replace(new RegExp(`^${field}\\b`), LABELS[field])}.` };
}

/** Whether two texts are the same. */
export function isSame(one: Pick<MailTemplate, TextField>, other: Pick<MailTemplate, TextField>): boolean {
  return one.subject === other.subject && one.text === other.text;
}
