/** Deliveries of one event: with the shop's eventId, an event acts once (rules 6.5). */

import { findLicense } from '../../licensing/licenses/store.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { claimDelivery, type DeliveryId, keepDelivery, releaseDelivery } from './delivery-store.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicenseReply, type WebhookReply } from './reply.ts';
import { EVERYBODY, findCreatorOf } from './sale.ts';

/**
 * Acts on an event unless an event of its type, creator and eventId was applied before. A repeated delivery replies
 * with the license as it is now. An event that was refused, or found no license, leaves its eventId unused. An event
 * without an eventId always acts.
 */
export async function actOnce<Code extends RefusalCode>(
  tx: Tx,
  event: StorefrontEvent,
  { now }: Origin,
  act: () => Promise<WebhookReply | Refusal<Code>>,
): Promise<WebhookReply | Refusal<Code | 'event_id_reused'>> {
  const { eventId, type, productId, purchaseId = null } = event;
  if (eventId === undefined) return act();
  const id: DeliveryId = { eventId, type, creatorId: await findCreatorOf(tx, productId) };
  const known = await claimDelivery(tx, id, { productId, purchaseId }, now);
  if (known !== null)
    return known.productId === productId && known.purchaseId === purchaseId
      ? repeatedReply(tx, type, known.licenseKey, now)
      : refuse('event_id_reused');
  const reply = await act();
  if (isRefusal(reply) || reply.licenseKey === undefined) await releaseDelivery(tx, id);
  else await keepDelivery(tx, id, reply.licenseKey);
  return reply;
}

async function repeatedReply(
  tx: Tx,
  type: StorefrontEvent['type'],
  licenseKey: string,
  now: number,
): Promise<WebhookReply> {
  const license = type === 'purchase.completed' ? undefined : await findLicense(tx, licenseKey, EVERYBODY);
  if (license === undefined) return { success: true, licenseKey, duplicate: true };
  return { ...existingLicenseReply(type, license, now), duplicate: true };
}
