import Type from 'typebox';
import { endpoint } from '../../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../endpoint/example-values.ts';
import { refuse } from '../../endpoint/refusals.ts';
import { deleteTemplate } from './change.ts';
import { templateIdField } from './fields.ts';
import { lockTemplate } from './store.ts';

/** DELETE/POST /deleteReplyTemplate (rules 4.3.7). */
export const deleteReplyTemplate = endpoint({
  path: '/deleteReplyTemplate',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a template of a reply',
  description: 'Deletes a template. DELETE takes its field from the query string or a body.',
  example: {
    after: ['/saveReplyTemplate'],
    request: { templateId: MADE_BY_SERVICE.templateId },
    reply: { success: true },
  },
  fields: Type.Object({ templateId: templateIdField }),
  missing: 'Missing templateId',
  reply: Type.Object({ success: Type.Literal(true) }),
  refusals: ['reply_template_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  const template = await lockTemplate(tx, fields.templateId, scope);
  if (template === undefined) return refuse('reply_template_not_found');
  await deleteTemplate(tx, origin, template);
  return { success: true };
});
