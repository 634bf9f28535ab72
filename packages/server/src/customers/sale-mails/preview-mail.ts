import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { readNames, subjectField, TEMPLATE_EXAMPLE, templateNames, textField } from './fields.ts';
import { shownText } from './shown-text.ts';
import { fillIn } from './template.ts';
import { sampleValues } from './values.ts';

/** GET/POST /previewMail (rules 13.1). */
export const previewMail = endpoint({
  path: '/previewMail',
  access: 'admin',
  needs: 'support',
  summary: 'Show an e-mail to buyers',
  description:
    'Shows an e-mail with the values of an example: with the given subject and text, else with those that e-mails have at ' +
    'present. Nothing is stored or sent; /sendTestMail sends it.',
  example: {
    after: ['/saveMailTemplate', '/listMailTemplates'],
    request: { kind: TEMPLATE_EXAMPLE.kind, language: TEMPLATE_EXAMPLE.language },
    reply: {
      success: true,
      subject: 'Your key for Example product',
      text: 'Welcome!\n\nExample product, pro\n    EXAMP-LEKEY-00000-00000-00001\n\nQuestions? help@example.com\n',
      html:
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Your key for Example product</title></head><body>\n' +
        '<p>Welcome!</p>\n<p>Example product, pro<br><code>EXAMP-LEKEY-00000-00000-00001</code></p>\n' +
        '<p>Questions? help@example.com</p>\n</body></html>\n',
      template: { subject: TEMPLATE_EXAMPLE.subject, text: TEMPLATE_EXAMPLE.text },
    },
  },
  fields: Type.Object({
    ...templateNames,
    subject: Type.Optional(subjectField),
    text: Type.Optional(textField),
  }),
  reply: success({
    subject: Type.String({ description: 'Its subject.' }),
    text: Type.String({ description: 'Its plain text.' }),
    html: Type.String({ description: 'Its HTML.' }),
    template: Type.Object(
      {
        subject: Type.String({ description: 'The subject with its placeholders.' }),
        text: Type.String({ description: 'The text with its placeholders.' }),
      },
      { description: 'The text that was filled in.' },
    ),
  }),
  refusals: ['creator_mismatch', 'product_not_found'],
}).read(async (sql, { fields, scope, now }) => {
  const id = await readNames(sql, fields, scope);
  if (isRefusal(id)) return id;
  const shown = await shownText(sql, id, fields, scope);
  if (isRefusal(shown)) return shown;
  const { subject, text } = shown;
  const filled = fillIn(shown, await sampleValues(sql, id, now), id.language);
  return { success: true, ...filled, template: { subject, text } };
});
