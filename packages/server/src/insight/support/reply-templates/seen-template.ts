/** Templates that a caller saw before it asked for a change (rules 3.1). */
import type { Scope } from '../../../platform/endpoint/caller.ts';
import { eventsOfOwner, refusalOfShown, type ShownRefusal } from '../../../platform/endpoint/shown-values.ts';
import type { Tx } from '../../../storage/contract/storage.ts';
import type { ReplyTemplate } from './reply-template.ts';

/** The refusal if a locked template was changed since the caller saw it; null if it was not. */
export function refusalOfSeen(
  tx: Tx,
  { templateId, creatorId, updatedAt }: ReplyTemplate,
  wasUpdatedAt: string | null | undefined,
  reader: Scope,
): Promise<ShownRefusal | null> {
  const seen = {
    name: 'Reply template',
    stored: { updatedAt },
    events: eventsOfOwner(['reply_template.saved'], creatorId),
    isChangeOf: ({ subject }: { readonly subject: string | null }) => subject === templateId,
  };
  return refusalOfShown<{ updatedAt: string | null }>(tx, seen, { wasUpdatedAt }, reader);
}
