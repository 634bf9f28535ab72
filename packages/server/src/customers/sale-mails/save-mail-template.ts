import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { findBrand } from '../brand/store.ts';
import { saveTemplate } from './change.ts';
import {
  readNames,
  subjectField,
  TEMPLATE_EXAMPLE,
  templateNames,
  templateSchema,
  templateView,
  textField,
  wasUpdatedAtField,
} from './fields.ts';
import { refusalOfSeen } from './seen-template.ts';
import { countTemplates, lockTemplate } from './store.ts';
import { LONGEST_TEXT, MAX_TEMPLATES, PLACEHOLDER_LIST, refuseTemplate, tidyText } from './template.ts';

/** POST /saveMailTemplate (rules 13.1). */
export const saveMailTemplate = endpoint({
  path: '/saveMailTemplate',
  access: 'admin',
  summary: 'Write the text of e-mails to buyers',
  description:
    'Makes the text for a product or for all products of an owner, by kind and language, or replaces it. An e-mail has the ' +
    'text of its product, else that of the owner, else the built-in one. The text is plain; the service makes the HTML and ' +
    `escapes every value. It has at most ${LONGEST_TEXT} bytes and no placeholders except ${PLACEHOLDER_LIST}; those of keys ` +
    'need {keys}, which no subject may have. {shop} is the name of the brand, and {support} its address of support. Texts ' +
    "that a creator's API key or session saves have no addresses and no links. " +
    `An owner has at most ${MAX_TEMPLATES}. With \`wasUpdatedAt\`, a text that was changed since is left as it is: the answer ` +
    'is 409 with the author of that change.',
  example: {
    after: ['/updateBrand'],
    request: {
      kind: TEMPLATE_EXAMPLE.kind,
      language: TEMPLATE_EXAMPLE.language,
      subject: TEMPLATE_EXAMPLE.subject,
      text: TEMPLATE_EXAMPLE.text,
    },
    reply: { success: true, template: TEMPLATE_EXAMPLE },
  },
  fields: Type.Object({
    ...templateNames,
    subject: subjectField,
    text: textField,
    wasUpdatedAt: Type.Optional(wasUpdatedAtField),
  }),
  reply: success({ template: templateSchema }),
  refusals: ['creator_mismatch', 'product_not_found', 'changed_meanwhile', 'too_many_mail_templates'],
}).write(async (tx, { fields, scope, origin }) => {
  const id = await readNames(tx, fields, scope);
  if (isRefusal(id)) return id;
  const tidy = tidyText(fields);
  const refusal = refuseTemplate(fields.kind, tidy, scope);
  if (refusal !== null) return refusal;
  if (`${tidy.subject} ${tidy.text}`.includes('{shop}') && (await findBrand(tx, id.creatorId)) === null)
    return refuse('invalid_field', { details: { message: '{shop} needs the name of a brand; /updateBrand sets it' } });
  // Taken first: two callers who make the same template come one after the other.
  const count = await countTemplates(tx, id.creatorId);
  const before = await lockTemplate(tx, id);
  const changedMeanwhile = await refusalOfSeen(tx, id, before, fields.wasUpdatedAt, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  if (before === undefined && count >= MAX_TEMPLATES)
    return refuse('too_many_mail_templates', { details: { limit: MAX_TEMPLATES } });
  return {
    success: true,
    template: templateView(await saveTemplate(tx, origin, before, { ...id, ...tidy, updatedAt: '' })),
  };
});
