import Type from 'typebox';
import { toTimestamp } from '../../../ground/base/clock.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { nullable, success, text, timestamp } from '../../../platform/endpoint/field-types.ts';
import { ownerOf } from '../../../platform/endpoint/owner.ts';
import { isRefusal, refuse } from '../../../platform/endpoint/refusals.ts';
import { addTemplate, changeTemplate } from './change.ts';
import { replyTemplateSchema, TEMPLATE_EXAMPLE, templateIdField, templateOwnerField, verdictField } from './fields.ts';
import {
  isTemplateId,
  LONGEST_TEXT,
  MAX_TEMPLATES,
  mintTemplateId,
  PLACEHOLDER_LIST,
  type ReplyTemplate,
  refuseText,
} from './reply-template.ts';
import { refusalOfSeen } from './seen-template.ts';
import { countTemplates, lockTemplate } from './store.ts';

const LONGEST_NAME = 100;

/** POST /saveReplyTemplate (rules 4.3.6). */
export const saveReplyTemplate = endpoint({
  path: '/saveReplyTemplate',
  access: 'admin',
  summary: 'Make or change a template of a reply',
  description:
    'Makes a template, or replaces the content of the one with `templateId`, which keeps its owner. The operator and each ' +
    `creator have at most ${MAX_TEMPLATES}. The text has at most ${LONGEST_TEXT} bytes and no placeholders except ` +
    `${PLACEHOLDER_LIST}. Everybody in support reads it, and forgetting a customer does not: it should name nobody. ` +
    'With `wasUpdatedAt`, a template that was changed since is left as it is: the answer is 409 with the author of that ' +
    'change. Null makes a deleted template again with its `templateId`.',
  example: {
    request: { name: TEMPLATE_EXAMPLE.name, text: TEMPLATE_EXAMPLE.text, verdict: TEMPLATE_EXAMPLE.verdict },
    reply: { success: true, template: TEMPLATE_EXAMPLE },
  },
  fields: Type.Object({
    templateId: Type.Optional(templateIdField),
    creatorId: Type.Optional(templateOwnerField),
    name: text('Its name in lists.', LONGEST_NAME),
    text: text('The reply.', LONGEST_TEXT),
    verdict: Type.Optional(verdictField),
    wasUpdatedAt: Type.Optional(
      nullable(timestamp('`updatedAt` of the template that the caller saw; null: it was deleted.')),
    ),
  }),
  reply: success({ template: replyTemplateSchema }),
  refusals: ['creator_mismatch', 'reply_template_not_found', 'changed_meanwhile', 'too_many_reply_templates'],
}).write(async (tx, { fields, scope, origin }) => {
  const { templateId, name, text, verdict = null, wasUpdatedAt } = fields;
  const owner = ownerOf(fields.creatorId, scope);
  if (isRefusal(owner)) return owner;
  const refusal = refuseText(text);
  if (refusal !== null) return refusal;
  const isMadeAgain = templateId !== undefined && wasUpdatedAt === null;
  // Taken first: of two callers who make a deleted template again, the second then sees that of the first.
  const count = templateId === undefined || isMadeAgain ? await countTemplates(tx, owner.creatorId) : 0;
  if (templateId !== undefined) {
    const before = await lockTemplate(tx, templateId, scope);
    if (before !== undefined) {
      const changedMeanwhile = await refusalOfSeen(tx, before, wasUpdatedAt, scope);
      if (changedMeanwhile !== null) return changedMeanwhile;
      const template = await changeTemplate(tx, origin, before, { ...before, name, text, verdict });
      return { success: true, template };
    }
    if (!isMadeAgain || !isTemplateId(templateId)) return refuse('reply_template_not_found');
  }
  if (count >= MAX_TEMPLATES) return refuse('too_many_reply_templates', { details: { limit: MAX_TEMPLATES } });
  const now = toTimestamp(origin.now);
  const template: ReplyTemplate = {
    templateId: templateId ?? mintTemplateId(origin.now),
    creatorId: owner.creatorId,
    name,
    text,
    verdict,
    createdAt: now,
    updatedAt: now,
  };
  if (!(await addTemplate(tx, origin, template))) return refuse('reply_template_not_found');
  return { success: true, template };
});
