/** The only writer of the texts of e-mails to buyers; records every change. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { insertTemplate, removeTemplate, updateTemplate } from './store.ts';
import type { MailTemplate } from './template.ts';

/** Adds a template, or writes the new text of a locked one; an equal one changes nothing. */
export async function saveTemplate(
  tx: Tx,
  origin: Origin,
  before: MailTemplate | undefined,
  after: MailTemplate,
): Promise<MailTemplate> {
  const facts = { before: before === undefined ? null : factsOf(before), after: factsOf(after) };
  if (before !== undefined && Object.keys(difference(facts.before ?? {}, facts.after).after).length === 0)
    return before;
  const saved = { ...after, updatedAt: toTimestamp(origin.now) };
  const event: Recorded = { ...subjectOf(saved), type: 'mail_template.saved', ...facts, origin };
  await recording(tx, [event], (tx) => (before === undefined ? insertTemplate(tx, saved) : updateTemplate(tx, saved)));
  return saved;
}

/** Deletes a locked template. */
export async function deleteTemplate(tx: Tx, origin: Origin, template: MailTemplate): Promise<void> {
  const facts = { before: factsOf(template), after: null };
  const event: Recorded = { ...subjectOf(template), type: 'mail_template.deleted', ...facts, origin };
  await recording(tx, [event], (tx) => removeTemplate(tx, template));
}

/** Names a template among those of its owner, as the subject of its events. */
export function nameOfTemplate({ kind, language, productId }: Pick<MailTemplate, 'kind' | 'language' | 'productId'>) {
  return [kind, language, ...(productId === '' ? [] : [productId])].join(' ');
}

function subjectOf(template: MailTemplate): { subject: string; creatorId: string | null } {
  return { subject: nameOfTemplate(template), creatorId: template.creatorId };
}

function factsOf({ kind, language, productId, subject, text }: MailTemplate): Facts {
  return { kind, language, productId, subject, text };
}
