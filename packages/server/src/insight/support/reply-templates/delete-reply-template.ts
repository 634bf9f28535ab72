import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import { success, timestamp } from '../../../platform/endpoint/field-types.ts';
import { refuse } from '../../../platform/endpoint/refusals.ts';
import { deleteTemplate } from './change.ts';
import { templateIdField } from './fields.ts';
import { refusalOfSeen } from './seen-template.ts';
import { lockTemplate } from './store.ts';

/** DELETE/POST /deleteReplyTemplate (rules 4.3.7). */
export const deleteReplyTemplate = endpoint({
  path: '/deleteReplyTemplate',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a template of a reply',
  description:
    'Deletes a template. With `wasUpdatedAt`, a template that was changed since is left as it is: the answer is 409 ' +
    'with the author of that change. DELETE takes its fields from the query string or a body.',
  example: {
    after: ['/saveReplyTemplate'],
    request: { templateId: MADE_BY_SERVICE.templateId },
    reply: { success: true },
  },
  fields: Type.Object({
    templateId: templateIdField,
    wasUpdatedAt: Type.Optional(timestamp('`updatedAt` of the template that the caller saw.')),
  }),
  reply: success({}),
  refusals: ['reply_template_not_found', 'changed_meanwhile'],
}).write(async (tx, { fields, scope, origin }) => {
  const template = await lockTemplate(tx, fields.templateId, scope);
  if (template === undefined) return refuse('reply_template_not_found');
  const changedMeanwhile = await refusalOfSeen(tx, template, fields.wasUpdatedAt, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  await deleteTemplate(tx, origin, template);
  return { success: true };
});
