import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../platform/endpoint/owner.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { ownerField, TEMPLATE_EXAMPLE, templateSchema, templateView } from './fields.ts';
import { listTemplates } from './store.ts';
import { MAX_TEMPLATES } from './template.ts';

/** GET/POST /listMailTemplates (rules 13.1). */
export const listMailTemplates = endpoint({
  path: '/listMailTemplates',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the texts of e-mails to buyers',
  description:
    `Lists all texts of the operator, or of a creator. There are at most ${MAX_TEMPLATES}, so there are no pages. ` +
    '/previewMail shows the built-in texts.',
  example: {
    after: ['/saveMailTemplate'],
    request: {},
    reply: { success: true, templates: [TEMPLATE_EXAMPLE], count: 1 },
  },
  fields: Type.Object({ creatorId: Type.Optional(ownerField) }),
  reply: success({
    templates: Type.Array(templateSchema),
    count: Type.Integer({ description: 'Templates in this answer.' }),
  }),
  refusals: ['creator_mismatch'],
}).read(async (sql, { fields, scope }) => {
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const templates = (await listTemplates(sql, owner.creatorId)).map(templateView);
  return { success: true, templates, count: templates.length };
});
