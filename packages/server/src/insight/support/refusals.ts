/** Refusals of searches and of reply templates. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const supportRefusals = refusals('searches', {
  query_is_secret: refusal(
    400,
    'This looks like a credential. Search for what it belongs to; /listApiKeys finds an API key by its hash.',
    {
      means: 'The query looks like a secret, an API key or a session token. It is neither searched for nor stored.',
      remedy: 'Search for its owner. /listApiKeys finds the owner of an API key by the `hash`, its SHA-256.',
      console: ['This looks like a secret.', 'Do not search for secrets. Search for the owner or the license.'],
    },
  ),
});

export const replyTemplateRefusals = refusals('reply templates', {
  reply_template_not_found: refusal(404, 'Reply template not found', {
    means: 'There is no such template, or it belongs to another creator.',
    remedy: 'Take its id from /listReplyTemplates.',
    console: ['There is no such template.', NOT_YOURS],
  }),
  too_many_reply_templates: refusal(409, 'Too many reply templates ({limit}). Delete one first.', {
    means: 'The operator and each creator have at most 50 reply templates.',
    remedy: 'Delete or change one.',
    console: ['There are as many templates as one owner may have.', 'Delete or change one.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof supportRefusals>, CodesOf<typeof replyTemplateRefusals> {}
}
