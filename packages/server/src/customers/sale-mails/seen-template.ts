/** Templates that a caller saw before it asked for a change (rules 3.1). */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { eventsOfOwner, refusalOfShown, type ShownRefusal } from '../../platform/endpoint/shown-values.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { nameOfTemplate } from './change.ts';
import type { TemplateId } from './store.ts';
import type { MailTemplate } from './template.ts';

/**
 * The refusal if a locked template is not as the caller saw it; null if it is.
 *
 * @param stored undefined if there is none
 */
export function refusalOfSeen(
  tx: Tx,
  id: TemplateId,
  stored: MailTemplate | undefined,
  wasUpdatedAt: string | null | undefined,
  reader: Scope,
): Promise<ShownRefusal | null> {
  const seen = {
    name: 'E-mail template',
    stored: { updatedAt: stored?.updatedAt ?? null },
    events: eventsOfOwner(['mail_template.saved', 'mail_template.deleted'], id.creatorId),
    isChangeOf: ({ subject }: { readonly subject: string | null }) => subject === nameOfTemplate(id),
  };
  return refusalOfShown<{ updatedAt: string | null }>(tx, seen, { wasUpdatedAt }, reader);
}
