/** Stripe's stand-in: payment links and subscriptions of Checkout, in the shape before or after basil (2025-03-31). */
import { createHmac } from 'node:crypto';
import { stripe } from '../../../src/commerce/connectors/sources/stripe.ts';
import { type Buyer, deliveryOf, monthsAfter, type Seller, seconds, type Told } from './seller.ts';

const ONCE = { id: 'price_1QpOnce', object: 'price', product: 'prod_RkOnce', unit_amount: 4900, metadata: {} };
const BASIC = { id: 'price_1QpBasic', object: 'price', product: 'prod_RkPlan', unit_amount: 900, metadata: {} };
const PRO = { id: 'price_1QpPro', object: 'price', product: 'prod_RkPlan', unit_amount: 1900, metadata: {} };
type Price = typeof ONCE;

/** The API versions whose shapes differ. */
export const STRIPE_VERSIONS = ['2024-12-18.acacia', '2026-10-28.endive'] as const;

/** A Stripe account with one buyer. */
export function stripeSeller(
  { number, email }: Buyer,
  apiVersion: (typeof STRIPE_VERSIONS)[number] = '2026-10-28.endive',
): Seller {
  const isNew = apiVersion > '2025-03-31';
  const secret = 'whsec_5f1d9d35f1e94a1c8a7b';
  const id = (prefix: string, name: string) => `${prefix}_1QpX${name}${number}`;
  const customer = id('cus', 'Buyer');
  const order = { session: id('cs_live', 'Order'), intent: id('pi', 'Order'), charge: id('ch', 'Order') };
  const subscription = {
    id: id('sub', 'Plan'),
    item: id('si', 'Plan'),
    price: BASIC,
    quantity: 3,
    end: 0,
    payments: 0,
  };
  let events = 0;
  const told: object[] = [];

  const tell = (type: string, at: number, object: object): Told => {
    events += 1;
    const event = {
      id: `evt_1QpX${number}n${events}`,
      object: 'event',
      api_version: apiVersion,
      created: seconds(at),
      data: { object },
      livemode: true,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
    told.push(event);
    // Stripe indents its bodies.
    return {
      body: JSON.stringify(event, null, 2),
      headers: { 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' },
    };
  };

  const session = (mode: 'payment' | 'subscription', at: number) => ({
    id: mode === 'payment' ? order.session : id('cs_live', 'Plan'),
    object: 'checkout.session',
    amount_subtotal: mode === 'payment' ? 9800 : 2700,
    amount_total: mode === 'payment' ? 9800 : 2700,
    created: seconds(at),
    currency: 'usd',
    customer,
    customer_details: { address: null, email, name: 'Zoë Buyer', phone: null, tax_exempt: 'none', tax_ids: [] },
    customer_email: null,
    invoice: mode === 'payment' ? null : id('in', 'Plan1'),
    livemode: true,
    locale: 'de',
    metadata: {},
    mode,
    payment_intent: mode === 'payment' ? order.intent : null,
    payment_link: mode === 'payment' ? 'plink_1QpLink' : null,
    payment_status: 'paid',
    status: 'complete',
    subscription: mode === 'payment' ? null : subscription.id,
  });

  const invoiceLine = (price: Price, at: number, end: number, isProration: boolean) => ({
    id: id('il', `${price.id.slice(-3)}${subscription.payments}`),
    object: 'line_item',
    amount: isProration ? 1000 : price.unit_amount * subscription.quantity,
    currency: 'usd',
    period: { start: seconds(at), end: seconds(end) },
    quantity: subscription.quantity,
    ...(isNew
      ? {
          parent: {
            type: 'subscription_item_details',
            invoice_item_details: null,
            subscription_item_details: {
              proration: isProration,
              subscription: subscription.id,
              subscription_item: subscription.item,
            },
          },
          pricing: {
            type: 'price_details',
            price_details: { price: price.id, product: price.product },
            unit_amount_decimal: String(price.unit_amount),
          },
        }
      : { price, proration: isProration, subscription: subscription.id, subscription_item: subscription.item }),
  });

  const invoice = (reason: string, at: number, lines: readonly object[]) => ({
    id: id('in', `Plan${subscription.payments}`),
    object: 'invoice',
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: seconds(at),
    currency: 'usd',
    customer,
    customer_email: email,
    lines: { object: 'list', data: lines, has_more: false },
    livemode: true,
    // The period in which items were gathered, which is over: no end of a license.
    period_start: seconds(at),
    period_end: seconds(at),
    status: 'paid',
    total: subscription.price.unit_amount * subscription.quantity,
    ...(isNew
      ? {
          parent: {
            type: 'subscription_details',
            quote_details: null,
            subscription_details: { metadata: {}, subscription: subscription.id },
          },
        }
      : {
          charge: id('ch', `Plan${subscription.payments}`),
          payment_intent: id('pi', `Plan${subscription.payments}`),
          subscription: subscription.id,
          subscription_details: { metadata: {} },
        }),
  });

  const subscriptionObject = (status: string, at: number) => ({
    id: subscription.id,
    object: 'subscription',
    cancel_at_period_end: false,
    canceled_at: status === 'canceled' ? seconds(at) : null,
    customer,
    ended_at: status === 'canceled' ? seconds(at) : null,
    ...(isNew ? {} : { current_period_end: seconds(subscription.end) }),
    items: {
      object: 'list',
      data: [
        {
          id: subscription.item,
          object: 'subscription_item',
          price: subscription.price,
          quantity: subscription.quantity,
          ...(isNew ? { current_period_end: seconds(subscription.end) } : {}),
        },
      ],
      has_more: false,
    },
    livemode: true,
    metadata: {},
    pause_collection: null,
    status,
    trial_end: null,
  });

  /** The requests about a paid invoice of the subscription. */
  const paidInvoice = (reason: string, at: number, lines: readonly object[]): Told[] => {
    const told = tell('invoice.paid', at, invoice(reason, at, lines));
    if (!isNew) return [told];
    const payment = {
      id: id('inpay', `Plan${subscription.payments}`),
      object: 'invoice_payment',
      amount_paid: subscription.price.unit_amount * subscription.quantity,
      invoice: id('in', `Plan${subscription.payments}`),
      payment: { type: 'payment_intent', payment_intent: id('pi', `Plan${subscription.payments}`) },
      status: 'paid',
    };
    return [told, tell('invoice_payment.paid', at, payment)];
  };

  const pay = (reason: string, at: number): Told[] => {
    subscription.payments += 1;
    subscription.end = monthsAfter(at, 1);
    return paidInvoice(reason, at, [invoiceLine(subscription.price, at, subscription.end, false)]);
  };

  const charge = (refunded: number, name = 'Order', amount = 9800) => ({
    id: id('ch', name),
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    billing_details: { address: null, email, name: 'Zoë Buyer', phone: null },
    currency: 'usd',
    customer,
    disputed: false,
    ...(isNew ? {} : { invoice: name === 'Order' ? null : id('in', name) }),
    livemode: true,
    paid: true,
    payment_intent: id('pi', name),
    refunded: refunded === amount,
    status: 'succeeded',
  });

  const dispute = (status: string) => ({
    id: id('du', 'Order'),
    object: 'dispute',
    amount: 9800,
    charge: order.charge,
    currency: 'usd',
    livemode: true,
    payment_intent: order.intent,
    reason: 'fraudulent',
    status,
  });

  const customerObject = { id: customer, object: 'customer', email, name: 'Zoë Buyer', preferred_locales: ['de-AT'] };

  return {
    source: stripe,
    secret,
    once: { by: 'price', id: ONCE.id },
    basic: { by: 'price', id: BASIC.id },
    pro: { by: 'price', id: PRO.id },
    apiKey: 'rk_live_51QpXRestricted',
    steps: {
      buy: (at) => [
        tell('payment_intent.succeeded', at, { id: order.intent, object: 'payment_intent' }),
        tell('checkout.session.completed', at, session('payment', at)),
      ],
      refundPart: (at) => [tell('charge.refunded', at, charge(4900))],
      refundRest: (at) => [tell('charge.refunded', at, charge(9800))],
      dispute: (at) => [tell('charge.dispute.created', at, dispute('needs_response'))],
      win: (at) => [tell('charge.dispute.closed', at, dispute('won'))],
      subscribe: (at) => [
        tell('customer.created', at, customerObject),
        ...pay('subscription_create', at),
        tell('customer.subscription.created', at, subscriptionObject('active', at)),
        tell('checkout.session.completed', at, session('subscription', at)),
      ],
      renew: (at) => {
        // The period moves an hour before the money is there.
        subscription.end = monthsAfter(at, 1);
        const moved = tell('customer.subscription.updated', at, subscriptionObject('active', at));
        return [moved, ...pay('subscription_cycle', at)];
      },
      changePlan: (at) => {
        subscription.price = PRO;
        const updated = tell('customer.subscription.updated', at, subscriptionObject('active', at));
        subscription.payments += 1;
        const lines = [invoiceLine(BASIC, at, subscription.end, true), invoiceLine(PRO, at, subscription.end, true)];
        return [updated, ...paidInvoice('subscription_update', at, lines)];
      },
      pause: (at) => [tell('customer.subscription.paused', at, subscriptionObject('paused', at))],
      resume: (at) => [
        tell('customer.subscription.resumed', at, subscriptionObject('active', at)),
        ...pay('subscription_cycle', at),
      ],
      refundRenewal: (at) => {
        const name = `Plan${subscription.payments}`;
        const amount = subscription.price.unit_amount * subscription.quantity;
        return [tell('charge.refunded', at, charge(amount, name, amount))];
      },
      end: (at) => [tell('customer.subscription.deleted', at, subscriptionObject('canceled', at))],
    },
    answer: ({ what, id: of }) => {
      if (what === 'session_items' && of === order.session) {
        const item = {
          id: id('li', 'Order'),
          object: 'item',
          amount_total: 9800,
          currency: 'usd',
          price: ONCE,
          quantity: 2,
        };
        return { object: 'list', data: [item], has_more: false };
      }
      return what === 'customer' && of === customer ? customerObject : undefined;
    },
    listed: (list) => (list === 'events' ? told : []),
    sign: (request, now, key = secret) => {
      const signature = createHmac('sha256', key)
        .update(`${seconds(now)}.${request.body}`)
        .digest('hex');
      return deliveryOf(request, { 'stripe-signature': `t=${seconds(now)},v1=${signature}` });
    },
  };
}
