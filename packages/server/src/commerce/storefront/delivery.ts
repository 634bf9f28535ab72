/** Deliveries of one event: with the shop's eventId, an event acts once (rules 6.5). */

import { findKeyInForce } from '../../licensing/licenses/replacement.ts';
import { findLicense } from '../../licensing/licenses/store.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { claimDelivery, type DeliveryId, keepDelivery, releaseDelivery } from './delivery-store.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicensesReply, type WebhookReply } from './reply.ts';
import { EVERYBODY, findCreatorOf } from './sale.ts';
import { listUnitsBeside } from './sold-unit-store.ts';

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
  const { eventId, type, productId, purchaseId = null, lineId = null, subscriptionId = null } = event;
  if (eventId === undefined) return act();
  const id: DeliveryId = { eventId, type, creatorId: await findCreatorOf(tx, productId) };
  const about = { productId, purchaseId, lineId, subscriptionId };
  const known = await claimDelivery(tx, id, about, now);
  if (known !== null) {
    const isAbout = Object.entries(about).every(([name, value]) => known[name as keyof typeof about] === value);
    return isAbout ? repeatedReply(tx, event, known.licenseKey, now) : refuse('event_id_reused');
  }
  const reply = await act();
  if (isRefusal(reply) || actedOnNothing(reply)) await releaseDelivery(tx, id);
  else await keepDelivery(tx, id, reply.licenseKey ?? '');
  return reply;
}

/** Whether an event did nothing, or not all, so that a later delivery can act. */
function actedOnNothing({ licenseKey, changed = 0, remaining = false }: WebhookReply): boolean {
  return licenseKey === undefined && (changed === 0 || remaining);
}

async function repeatedReply(
  tx: Tx,
  { type, quantity }: StorefrontEvent,
  appliedTo: string,
  now: number,
): Promise<WebhookReply> {
  if (appliedTo === '') return { success: true, changed: 0, remaining: false, duplicate: true };
  const licenseKey = await findKeyInForce(tx, appliedTo);
  if (type === 'purchase.completed') {
    const units = quantity === undefined ? [] : await listUnitsBeside(tx, licenseKey);
    const licenseKeys = units.map((unit) => unit.licenseKey);
    return { success: true, licenseKey, ...(units.length === 0 ? {} : { licenseKeys }), duplicate: true };
  }
  const license = await findLicense(tx, licenseKey, EVERYBODY);
  if (license === undefined) return { success: true, licenseKey, duplicate: true };
  return { ...existingLicensesReply(type, [license], now), duplicate: true };
}
