import Type from 'typebox';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { success } from '../../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../../platform/endpoint/owner.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { replyTemplateSchema, TEMPLATE_EXAMPLE, templateOwnerField } from './fields.ts';
import { listTemplates } from './store.ts';

/** GET/POST /listReplyTemplates (rules 4.3.5). */
export const listReplyTemplates = endpoint({
  path: '/listReplyTemplates',
  access: 'admin',
  needs: 'support',
  summary: 'List templates of replies to customers',
  description:
    'Lists all templates of the operator, or of a creator, oldest first. There are at most 50, so there are no pages.',
  example: {
    after: ['/saveReplyTemplate'],
    request: {},
    reply: { success: true, templates: [TEMPLATE_EXAMPLE], count: 1 },
  },
  fields: Type.Object({ creatorId: Type.Optional(templateOwnerField) }),
  reply: success({
    templates: Type.Array(replyTemplateSchema),
    count: Type.Integer({ description: 'Templates in this answer.' }),
  }),
  refusals: ['creator_mismatch'],
}).read(async (sql, { fields, scope }) => {
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const templates = [...(await listTemplates(sql, owner.creatorId))];
  return { success: true, templates, count: templates.length };
});
