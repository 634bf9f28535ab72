/** Refusals about the texts of e-mails to buyers. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const saleMailRefusals = refusals('mail templates', {
  mail_template_not_found: refusal(404, 'E-mail template not found', {
    means: 'The owner has no text of this product, kind and language.',
    remedy: 'Take its names from /listMailTemplates.',
    console: ['There is no such text.', NOT_YOURS],
  }),
  too_many_mail_templates: refusal(409, 'Too many e-mail templates ({limit}). Delete one first.', {
    means: 'The operator and each creator have at most 200 texts of e-mails.',
    remedy: 'Delete one. A text for all products replaces those of single products.',
    console: ['There are as many texts as one owner may have.', 'Delete one.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof saleMailRefusals> {}
}
