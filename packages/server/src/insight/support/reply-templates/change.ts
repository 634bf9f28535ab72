/** The only writer of reply templates; records every change. */
import { toTimestamp } from '../../../ground/base/clock.ts';
import { difference, type Facts, type Origin, type Recorded } from '../../../platform/events/event.ts';
import { recording } from '../../../platform/events/record.ts';
import type { Tx } from '../../../storage/contract/storage.ts';
import type { ReplyTemplate } from './reply-template.ts';
import { insertTemplate, removeTemplate, updateTemplate } from './store.ts';

/**
 * Adds a template; false if another owner has one with its id. The caller has counted those of its owner, which locks
 * their number.
 */
export async function addTemplate(tx: Tx, origin: Origin, template: ReplyTemplate): Promise<boolean> {
  const saved: Recorded = {
    ...subjectOf(template),
    type: 'reply_template.saved',
    before: null,
    after: factsOf(template),
    origin,
  };
  return recording(
    tx,
    (isNew) => (isNew ? [saved] : []),
    (tx) => insertTemplate(tx, template),
  );
}

/** Writes the new state of a locked template; an equal one changes nothing. The event holds both whole. */
export async function changeTemplate(
  tx: Tx,
  origin: Origin,
  before: ReplyTemplate,
  after: ReplyTemplate,
): Promise<ReplyTemplate> {
  const facts = { before: factsOf(before), after: factsOf(after) };
  if (Object.keys(difference(facts.before, facts.after).after).length === 0) return before;
  const changed = { ...after, updatedAt: toTimestamp(origin.now) };
  await recording(tx, [{ ...subjectOf(changed), type: 'reply_template.saved', ...facts, origin }], (tx) =>
    updateTemplate(tx, changed),
  );
  return changed;
}

/** Deletes a locked template. */
export async function deleteTemplate(tx: Tx, origin: Origin, template: ReplyTemplate): Promise<void> {
  const before = factsOf(template);
  await recording(tx, [{ ...subjectOf(template), type: 'reply_template.deleted', before, after: null, origin }], (tx) =>
    removeTemplate(tx, template.templateId),
  );
}

function subjectOf({ templateId, creatorId }: ReplyTemplate): { subject: string; creatorId: string | null } {
  return { subject: templateId, creatorId };
}

function factsOf({ name, verdict, text }: ReplyTemplate): Facts {
  return { name, verdict, text };
}
