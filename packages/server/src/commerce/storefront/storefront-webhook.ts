import { refusalForDuration } from '../../licensing/products/duration.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext } from '../../platform/endpoint/rule-context.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { mailFailedPayment, mailKeys } from './buyer-mails.ts';
import { updateCustomer } from './customer.ts';
import { actOnce } from './delivery.ts';
import { eventFields, type StorefrontEvent } from './event.ts';
import { completePurchase } from './purchase.ts';
import { webhookReplySchema } from './reply.ts';
import { notePartialRefund, noteWonDispute, refundCopies, reversePurchase } from './reversal.ts';
import { findReversed, findSold, findSubscribed } from './sale.ts';
import { cancelSubscription, changePlan, noteFailedPayment, renewSubscription } from './subscription.ts';

/** POST /storefrontWebhook (rules 4.8.1, 6). */
export const storefrontWebhook = endpoint({
  path: '/storefrontWebhook',
  access: 'webhook',
  acceptsBodySecret: true,
  summary: 'Report a purchase or subscription event',
  description:
    '`purchase.completed` issues a license, once per purchaseId; it lasts until expiresAt, else for durationDays or durationMonths, else trialDays, else the trial ' +
    'of a redeemed discount code, else the length of the variant, else for ever. `subscription.renewed` extends the ' +
    'license of the purchaseId, else the newest of this e-mail, product and variant. `purchase.refunded` and ' +
    '`purchase.disputed` revoke the license of the purchaseId; without one, the newest of this e-mail, product and ' +
    'variant; a refund with `partial` leaves it as it is. `subscription.cancelled` and `subscription.payment_failed` change nothing. `subscription.updated` gives the license of the purchaseId the terms of another ' +
    'variant, and `purchase.dispute_won` is noted for staff. An event with an ' +
    'eventId acts once; without one, all but `purchase.completed` act on every delivery. An event for a license that does not exist yet is answered 404: deliver it again later. A purchaseId names a license among ' +
    "the products of the productId's creator only; products that the catalogue does not know are the operator's.",
  example: {
    after: ['/createVariant'],
    request: {
      type: 'purchase.completed',
      email: EXAMPLE.email,
      productId: EXAMPLE.productId,
      variant: EXAMPLE.variant,
      purchaseId: EXAMPLE.purchaseId,
      amount: 4900,
      currency: 'eur',
    },
    reply: { success: true, licenseKey: MADE_BY_SERVICE.licenseKey, duplicate: false },
  },
  fields: eventFields,
  reply: webhookReplySchema,
  refusals: ['license_not_found', 'variant_not_found', 'duration_missing', 'event_id_reused'],
}).write(async (tx, { fields: event, origin, ruleContext }) => {
  const message = contradictionIn(event);
  if (message !== null) return refuse('invalid_field', { details: { message } });
  const bothLengths = refusalForDuration(event);
  if (bothLengths !== null) return bothLengths;
  return actOnce(tx, event, origin, () => applied(tx, event, origin, ruleContext));
});

/** Fields that contradict each other, as a sentence; null if none do. */
function contradictionIn({ type, partial, quantity, lineId, purchaseId, subscriptionId }: StorefrontEvent) {
  if (partial !== undefined && type !== 'purchase.refunded') return 'partial is a field of purchase.refunded only';
  if (partial === true && quantity !== undefined) return 'Provide partial or quantity, not both';
  const hasSale = purchaseId !== undefined || (type !== 'purchase.completed' && subscriptionId !== undefined);
  return lineId !== undefined && !hasSale ? 'lineId needs the purchaseId of its order' : null;
}

async function applied(tx: Tx, event: StorefrontEvent, origin: Origin, context: RuleContext) {
  switch (event.type) {
    case 'purchase.completed':
      return mailKeys(tx, event, await completePurchase(tx, event, origin), origin, context);
    case 'purchase.refunded': {
      const sold = await findReversed(tx, event);
      return event.partial ? notePartialRefund(tx, event, origin, sold) : refundCopies(tx, event, origin, sold);
    }
    case 'purchase.disputed':
      return reversePurchase(tx, event, 'chargeback', origin, await findReversed(tx, event));
    case 'purchase.dispute_won':
      return noteWonDispute(tx, event, origin, await findReversed(tx, event));
    case 'subscription.updated':
      return changePlan(tx, event, origin, await findSold(tx, event));
    case 'subscription.renewed':
      return renewSubscription(tx, event, origin, await findSubscribed(tx, event));
    case 'subscription.cancelled':
      return cancelSubscription(tx, event, origin, await findSubscribed(tx, event));
    case 'subscription.payment_failed': {
      const sold = await findSubscribed(tx, event);
      await mailFailedPayment(tx, event, sold, origin, context);
      return noteFailedPayment(tx, event, origin, sold);
    }
    case 'customer.updated':
      return updateCustomer(tx, event, origin);
  }
}
