/** Renewals, changed plans, failed payments and cancellations of subscriptions (rules 6.4). */

import type { License } from '../../licensing/licenses/license.ts';
import { ownTermsAfter } from '../../licensing/licenses/terms.ts';
import { endsSessions, termsOfVariant } from '../../licensing/licenses/variant-change.ts';
import { endedAt } from '../../licensing/licenses/waiting.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { findVariant } from '../../licensing/products/variant-store.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { renewalOf } from './expiry.ts';
import { existingLicensesReply, type WebhookReply } from './reply.ts';
import { changeSold, lockSold, type Sold } from './sale.ts';
import { setQuantitiesOf } from './sold-unit-store.ts';
import { recordEvents } from './store.ts';

/**
 * Extends the licenses of a subscription by the event's end or length, else by that of each license's variant. A
 * perpetual license stays perpetual and a revoked one revoked. Each call with a length extends.
 *
 * @param sold as `findSubscribed` finds it
 */
export async function renewSubscription(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  sold: Sold | undefined,
): Promise<WebhookReply | Refusal<'license_not_found' | 'duration_missing'>> {
  const load = variantsOnce(tx, ({ productId, variant }) => [productId, variant]);
  return changeSold(tx, event, origin, { sold, load }, (license, variant) =>
    renewalOf(license, event, variant, origin.now),
  );
}

/**
 * Gives the licenses of a sale the terms of another variant of their product. The keys stay. The one license of several
 * copies has the limits times the event's quantity, else times the quantity that it has. The shop's own end replaces
 * the expiry, which may shorten a license. Features and limits of meters that the event has replace those of the
 * license.
 *
 * @param sold as `findSold` finds it
 */
export async function changePlan(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  sold: Sold | undefined,
): Promise<WebhookReply | Refusal<'license_not_found' | 'variant_not_found' | 'invalid_field'>> {
  const { purchaseId, subscriptionId, variant: name, expiresAt, features, meters } = event;
  if ((purchaseId === undefined && subscriptionId === undefined) || name === undefined)
    return refuse('invalid_field', {
      details: { message: 'subscription.updated needs variant, and purchaseId or subscriptionId' },
    });
  if (sold === undefined) return refuse('license_not_found');
  const present = sold.units.length === 0 ? sold : await lockSold(tx, sold);
  const copies = present.licenses.length;
  if (copies > 1 && event.quantity !== undefined && event.quantity !== copies)
    return refuse('invalid_field', {
      details: { message: `quantity must be ${copies}: each copy has a license of its own` },
    });
  const quantity = copies > 1 ? 1 : (event.quantity ?? present.units[0]?.quantity ?? 1);
  const load = variantsOnce(tx, ({ productId }) => [productId, name]);
  const reply = await changeSold(tx, event, origin, { sold: present, load }, (license, variant) => {
    if (variant === undefined) return refuse('variant_not_found');
    const given = termsOfVariant(license, variant, origin.now, quantity);
    const terms = { ...given, ...ownTermsAfter(given, { features, meters }) };
    const isEnded = endsSessions(license, terms);
    return {
      type: 'license.updated',
      update: {
        ...terms,
        ...(expiresAt === undefined ? {} : endedAt(terms, expiresAt, origin.now)),
        sessionsHeld: isEnded ? 0 : license.sessionsHeld,
      },
      ...(isEnded ? { machines: 'end all sessions' as const } : {}),
    };
  });
  const [unit] = present.units;
  if (!isRefusal(reply) && unit !== undefined && unit.quantity !== quantity)
    await setQuantitiesOf(tx, [unit.licenseKey], quantity);
  return reply;
}

/**
 * Acknowledges a cancelled subscription; its licenses run until their expiry. They do not change, so unknown ones are
 * no reason to refuse.
 *
 * @param sold as `findSubscribed` finds it
 */
export async function cancelSubscription(
  tx: Tx,
  event: StorefrontEvent,
  { now }: Origin,
  sold: Sold | undefined,
): Promise<WebhookReply> {
  if (sold === undefined) return { success: true };
  await recordEvents(tx, event, sold.licenses, now);
  return existingLicensesReply(event.type, sold.licenses, now);
}

/**
 * Records a payment that failed. The licenses do not change: their grace bridges the time until the payment succeeds.
 * Unknown ones are refused, because their purchase may be on the way.
 *
 * @param sold as `findSubscribed` finds it
 */
export async function noteFailedPayment(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  sold: Sold | undefined,
): Promise<WebhookReply | Refusal<'license_not_found'>> {
  return sold === undefined ? refuse('license_not_found') : cancelSubscription(tx, event, origin, sold);
}

/** Loads the variant for the decision about each license; licenses of one sale mostly have the same. */
function variantsOnce(sql: Sql, nameOf: (license: License) => readonly [productId: string, variant: string]) {
  const known = new Map<string, Promise<Variant | undefined>>();
  return (license: License) => {
    const [productId, name] = nameOf(license);
    return known.getOrInsertComputed(JSON.stringify([productId, name]), () => findVariant(sql, productId, name));
  };
}
