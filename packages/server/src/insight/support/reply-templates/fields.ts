/** Reply templates as endpoints show them. */
import Type from 'typebox';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { nullable, oneOf, resource, text, timestamp } from '../../../platform/endpoint/field-types.ts';
import { VERDICTS } from '../verdict-views.ts';
import { PLACEHOLDER_LIST } from './reply-template.ts';

export const templateIdField = text('Identifier of the template.');

export const templateOwnerField = text(
  "Whose templates: a creator's id. The operator's own without it. An API key reaches those of its creator only.",
);

export const verdictField = nullable(oneOf('The verdict that it is for; null: any.', VERDICTS, 'VerdictCode'));

export const replyTemplateSchema = resource('ReplyTemplate', 'A template of a reply to a customer.', {
  templateId: Type.String({ description: 'Its identifier.' }),
  creatorId: nullable(Type.String({ description: "The creator; null: the operator's." })),
  name: Type.String({ description: 'Its name in lists.' }),
  text: Type.String({ description: `The reply. The console fills in ${PLACEHOLDER_LIST}.` }),
  verdict: verdictField,
  createdAt: timestamp('When it was made.'),
  updatedAt: timestamp('When it was changed last.'),
});

/** The template in the examples of the endpoints. */
export const TEMPLATE_EXAMPLE = {
  templateId: MADE_BY_SERVICE.templateId,
  creatorId: null,
  name: 'Paid back',
  text: 'Hello,\n\nyour payment for {product} was returned, so the license has ended.\n\nKind regards',
  verdict: 'refunded' as const,
  createdAt: EXAMPLE_NOW,
  updatedAt: EXAMPLE_NOW,
};
