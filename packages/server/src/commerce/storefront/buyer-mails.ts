/** E-mails to the buyers of a storefront (rules 6.7). */
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import type { WebhookReply } from './reply.ts';
import { findCreatorOf, type Sold } from './sale.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Whether buyers get e-mails about events of the storefront that do not say so themselves. */
    readonly mailsStorefront: boolean;
  }
}

/** Queues the keys of a purchase that was not delivered before; the reply warns where the service sends no e-mail. */
export async function mailKeys(
  tx: Tx,
  event: StorefrontEvent,
  reply: WebhookReply,
  { now }: Origin,
  context: RuleContext,
): Promise<WebhookReply> {
  const { licenseKey } = reply;
  if (!isMailed(event, context) || licenseKey === undefined || reply.duplicate === true) return reply;
  if (!context.settings.sendsMail) return { ...reply, warnings: [...(reply.warnings ?? []), 'not_mailed'] };
  const { email: to, language = 'en', productId } = event;
  const creatorId = await findCreatorOf(tx, productId);
  await context.saleMails.queue(tx, { kind: 'keys', to, creatorId, language, sale: { licenseKey }, now });
  return reply;
}

/** Queues the e-mail about a failed payment, to the address of the first license of the subscription. */
export async function mailFailedPayment(
  tx: Tx,
  event: StorefrontEvent,
  sold: Sold | undefined,
  { now }: Origin,
  context: RuleContext,
): Promise<void> {
  const first = sold?.licenses[0];
  if (first === undefined || !isMailed(event, context)) return;
  const { licenseKey, email: to, expiresAt } = first;
  const creatorId = await findCreatorOf(tx, first.productId);
  const { language = 'en' } = event;
  const sale = { licenseKey };
  await context.saleMails.queue(tx, { kind: 'payment_failed', to, creatorId, language, sale, expiresAt, now });
}

function isMailed({ mail }: StorefrontEvent, { settings }: RuleContext): boolean {
  return mail ?? settings.mailsStorefront;
}
