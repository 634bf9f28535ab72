/** The texts of e-mails to buyers as endpoints show them. */
import Type from 'typebox';
import { findProduct } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, oneOf, productIdField, resource, text, timestamp } from '../../platform/endpoint/field-types.ts';
import { MAIL_LANGUAGES } from '../../platform/endpoint/mail-kind.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import type { TemplateId } from './store.ts';
import { LONGEST_SUBJECT, LONGEST_TEXT, type MailTemplate, PLACEHOLDER_LIST, SALE_MAIL_KINDS } from './template.ts';

export const ownerField = text(
  "Whose: a creator's id. The operator's own without it. An API key reaches those of its creator only.",
);

/** The fields that name a template. */
export const templateNames = {
  creatorId: Type.Optional(ownerField),
  productId: Type.Optional({ ...productIdField, description: 'For this product; for all of the owner without it.' }),
  kind: oneOf(
    '`keys`: the keys of a sale; `keys_added`: the sale had an e-mail before and has further licenses; ' +
      '`payment_failed`: a payment of a subscription failed.',
    SALE_MAIL_KINDS,
    'SaleMailKind',
  ),
  language: oneOf('Language of the e-mail.', MAIL_LANGUAGES, 'MailLanguage'),
};

export const subjectField = text(
  'Subject of the e-mail: one line, with the placeholders of the text except {keys}.',
  LONGEST_SUBJECT,
);
export const textField = text(
  `The text, with the placeholders ${PLACEHOLDER_LIST}. An empty line separates paragraphs.`,
  LONGEST_TEXT,
);

export const wasUpdatedAtField = nullable(
  timestamp('`updatedAt` of the template that the caller saw; null: there was none.'),
);

const { kind, language } = templateNames;

export const templateSchema = resource('MailTemplate', "A vendor's own text of e-mails to buyers.", {
  creatorId: nullable(Type.String({ description: "The creator; null: the operator's." })),
  productId: nullable(Type.String({ description: 'The product; null: all products of the owner.' })),
  kind,
  language,
  subject: Type.String({ description: 'The subject with its placeholders.' }),
  text: Type.String({ description: 'The text with its placeholders.' }),
  updatedAt: timestamp('When it was changed last.'),
});

/** A template as replies show it. */
export function templateView({ productId, ...template }: MailTemplate): ReplyOf<typeof templateSchema> {
  return { ...template, productId: productId === '' ? null : productId };
}

/** The template in the examples of the reference. */
export const TEMPLATE_EXAMPLE = {
  creatorId: null,
  productId: null,
  kind: 'keys' as const,
  language: 'en' as const,
  subject: 'Your key for {product}',
  text: 'Welcome!\n\n{keys}\n\nQuestions? {support}',
  updatedAt: EXAMPLE_NOW,
};

/** The fields of {@link templateNames} as a caller gave them. */
type GivenNames = Pick<MailTemplate, 'kind' | 'language'> & {
  readonly creatorId?: string | undefined;
  readonly productId?: string | undefined;
};

/** The names of a template of the caller's, or of a creator's for the operator; its product must be the owner's. */
export async function readNames(
  sql: Sql,
  { creatorId: given, productId = '', kind: ofKind, language: inLanguage }: GivenNames,
  scope: Scope,
): Promise<TemplateId | Refusal<'creator_mismatch' | 'product_not_found'>> {
  const owner = ownerOf(given, scope);
  if (isRefusal(owner)) return owner;
  const { creatorId } = owner;
  if (productId !== '') {
    const product = await findProduct(sql, productId, owner);
    if (product === undefined || product.creatorId !== creatorId) return refuse('product_not_found');
  }
  return { creatorId, productId, kind: ofKind, language: inLanguage };
}
