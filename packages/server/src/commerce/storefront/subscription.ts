/** Renewals, changed plans, failed payments and cancellations of subscriptions (rules 6.4). */

import type { License } from '../../licensing/licenses/license.ts';
import { findNewestLicense } from '../../licensing/licenses/store.ts';
import { endsSessions, termsOfVariant } from '../../licensing/licenses/variant-change.ts';
import { findVariant } from '../../licensing/products/variant-store.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { renewalOf } from './expiry.ts';
import { existingLicenseReply, type WebhookReply } from './reply.ts';
import { changeSold, findSold } from './sale.ts';
import { recordEvent } from './store.ts';

/**
 * Extends the license of a subscription by the event's end or length, else by that of the license's variant. A
 * perpetual license stays perpetual and a revoked one revoked. Each call with a length extends.
 */
export async function renewSubscription(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found' | 'duration_missing'>> {
  const found = await findSubscribed(tx, event);
  const load = ({ productId, variant }: License) => findVariant(tx, productId, variant);
  return changeSold(tx, event, origin, { found, load }, (license, variant) =>
    renewalOf(license, event, variant, origin.now),
  );
}

/**
 * Gives the license of a purchase the terms of another variant of its product, with the limits times the quantity. The
 * key stays. The shop's own end replaces the expiry, which may shorten the license.
 */
export async function changePlan(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
): Promise<WebhookReply | Refusal<'license_not_found' | 'variant_not_found' | 'invalid_field'>> {
  const { purchaseId, variant: name, quantity, expiresAt, productId } = event;
  if (purchaseId === undefined || name === undefined)
    return refuse('invalid_field', { details: { message: 'subscription.updated needs purchaseId and variant' } });
  const found = await findSold(tx, purchaseId, productId);
  const load = (license: License) => findVariant(tx, license.productId, name);
  return changeSold(tx, event, origin, { found, load }, (license, variant) => {
    if (variant === undefined) return refuse('variant_not_found');
    const terms = termsOfVariant(license, variant, origin.now, quantity);
    const isEnded = endsSessions(license, terms);
    return {
      type: 'license.updated',
      update: {
        ...terms,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        sessionsHeld: isEnded ? 0 : license.sessionsHeld,
      },
      ...(isEnded ? { machines: 'end all sessions' as const } : {}),
    };
  });
}

/**
 * Acknowledges a cancelled subscription; its license runs until its expiry. The license does not change, so an unknown
 * one is no reason to refuse.
 */
export async function cancelSubscription(tx: Tx, event: StorefrontEvent, now: number): Promise<WebhookReply> {
  const license = await findSubscribed(tx, event);
  if (license === undefined) return { success: true };
  await recordEvent(tx, event, license, now);
  return existingLicenseReply(event.type, license, now);
}

/**
 * Records a payment that failed. The license does not change: its grace bridges the time until the payment succeeds. An
 * unknown license is refused, because its purchase may be on the way.
 */
export async function noteFailedPayment(
  tx: Tx,
  event: StorefrontEvent,
  { now }: Origin,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  const license = await findSubscribed(tx, event);
  if (license === undefined) return refuse('license_not_found');
  await recordEvent(tx, event, license, now);
  return existingLicenseReply(event.type, license, now);
}

/** The license of the purchaseId; else the customer's newest, because each period may have a purchaseId of its own. */
async function findSubscribed(sql: Sql, event: StorefrontEvent): Promise<License | undefined> {
  const { purchaseId, email, productId, variant } = event;
  const bought = purchaseId === undefined ? undefined : await findSold(sql, purchaseId, productId);
  return bought ?? findNewestLicense(sql, email, productId, variant);
}
