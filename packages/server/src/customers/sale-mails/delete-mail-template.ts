import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { deleteTemplate } from './change.ts';
import { readNames, TEMPLATE_EXAMPLE, templateNames, wasUpdatedAtField } from './fields.ts';
import { refusalOfSeen } from './seen-template.ts';
import { lockTemplate } from './store.ts';

/** DELETE/POST /deleteMailTemplate (rules 13.1). */
export const deleteMailTemplate = endpoint({
  path: '/deleteMailTemplate',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a text of e-mails to buyers',
  description:
    'E-mails that wait have the text of the owner then, else the built-in one. With `wasUpdatedAt`, a text that was ' +
    'changed since is left as it is. DELETE takes its fields from the query string or a body.',
  example: {
    after: ['/listMailTemplates', '/previewMail'],
    request: { kind: TEMPLATE_EXAMPLE.kind, language: TEMPLATE_EXAMPLE.language },
    reply: { success: true },
  },
  fields: Type.Object({ ...templateNames, wasUpdatedAt: Type.Optional(wasUpdatedAtField) }),
  reply: success({}),
  refusals: ['creator_mismatch', 'product_not_found', 'mail_template_not_found', 'changed_meanwhile'],
}).write(async (tx, { fields, scope, origin }) => {
  const id = await readNames(tx, fields, scope);
  if (isRefusal(id)) return id;
  const template = await lockTemplate(tx, id);
  if (template === undefined) return refuse('mail_template_not_found');
  const changedMeanwhile = await refusalOfSeen(tx, id, template, fields.wasUpdatedAt, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  await deleteTemplate(tx, origin, template);
  return { success: true };
});
