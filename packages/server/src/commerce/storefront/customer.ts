/** customer.updated: a customer has another e-mail address (rules 6.6). */
import { foldEmail } from '../../ground/base/typed-text.ts';
import { changeEmailsOf } from '../../licensing/licenses/email-change.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import type { WebhookReply } from './reply.ts';
import { findCreatorOf } from './sale.ts';
import { recordEvents } from './store.ts';

/**
 * Gives the customer's licenses the new address, as /changeEmail does: those of all products of the creator who owns
 * the event's product. Other creators' licenses keep the former one.
 */
export async function updateCustomer(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'invalid_field'>> {
  const { email, newEmail, productId } = event;
  if (newEmail === undefined)
    return refuse('invalid_field', { details: { message: 'customer.updated needs newEmail' } });
  if (foldEmail(email) === foldEmail(newEmail)) return { success: true, changed: 0, remaining: false };
  const at = { creatorId: await findCreatorOf(tx, productId) };
  const { changed, isMore } = await changeEmailsOf(tx, origin, { email, newEmail }, at);
  if (changed.length > 0) await recordEvents(tx, { ...event, email: newEmail }, changed, origin.now);
  return { success: true, changed: changed.length, remaining: isMore };
}
