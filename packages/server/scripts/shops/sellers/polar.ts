/** Polar's stand-in, with a secret of the earlier kind (its text signs) or of the later one (its bytes do). */
import { createHmac } from 'node:crypto';
import { polar } from '../../../src/commerce/connectors/sources/polar.ts';
import { type Buyer, deliveryOf, iso, monthsAfter, type Seller, seconds, type Told } from './seller.ts';

export const POLAR_KEYS = ['text', 'bytes'] as const;
const [ONCE, BASIC, PRO] = ['once', 'basic', 'pro'].map((name) => ({
  price: `b1a7c1de-0000-4000-8000-price${name}`,
  product: `b1a7c1de-0000-4000-8000-product${name}`,
})) as [Priced, Priced, Priced];

interface Priced {
  readonly price: string;
  readonly product: string;
}

/** A Polar organization with one buyer. */
export function polarSeller({ number, email }: Buyer, kind: (typeof POLAR_KEYS)[number] = 'bytes'): Seller {
  const bytes = Buffer.from('a secret of thirty-two bytes 123');
  const secret = kind === 'bytes' ? `whsec_${bytes.toString('base64')}` : 'polar_whs_ovyN6cPrTvWdCqTq3Bcz0wIzL8';
  const id = (name: string) => `7d1c9a52-0000-4000-8000-${name}${number}`;
  const subscription = { plan: BASIC, end: 0, payments: 0 };
  const customer = { id: id('customer'), email, email_verified: true, name: 'Zoë Buyer', external_id: null };
  let events = 0;

  const tell = (type: string, at: number, data: object): Told => {
    events += 1;
    return {
      body: JSON.stringify({ type, timestamp: iso(at), data }),
      headers: {
        'webhook-id': id(`event${events}`),
        'webhook-api-version': '2026-10',
        'user-agent': 'polar.sh webhooks',
      },
    };
  };

  const subscriptionObject = (status: string, at: number) => ({
    id: id('subscription'),
    created_at: iso(at),
    modified_at: iso(at),
    status,
    current_period_start: iso(at),
    current_period_end: iso(subscription.end),
    cancel_at_period_end: false,
    canceled_at: status === 'canceled' ? iso(at) : null,
    ended_at: status === 'canceled' ? iso(at) : null,
    trial_end: null,
    customer_id: customer.id,
    product_id: subscription.plan.product,
    seats: 3,
    prices: [{ id: subscription.plan.price, amount_type: 'fixed', price_amount: 900 }],
  });

  const order = (name: string, reason: string, plan: Priced, seats: number | null, refunded: number, at: number) => ({
    id: id(name),
    created_at: iso(at),
    modified_at: iso(at),
    status: refunded === 0 ? 'paid' : refunded === 9800 ? 'refunded' : 'partially_refunded',
    paid: true,
    subtotal_amount: 9800,
    discount_amount: 0,
    net_amount: 9800,
    tax_amount: 0,
    total_amount: 9800,
    refunded_amount: refunded,
    refunded_tax_amount: 0,
    currency: 'usd',
    billing_reason: reason,
    customer_id: customer.id,
    product_id: plan.product,
    subscription_id: reason === 'purchase' ? null : id('subscription'),
    checkout_id: id(`checkout-${name}`),
    metadata: {},
    custom_field_data: { latchkey_variant: 'what the buyer likes' },
    customer,
    subscription: reason === 'purchase' ? null : subscriptionObject('active', at),
    items: [
      {
        id: id(`item-${name}`),
        amount: 9800,
        proration: reason === 'subscription_update',
        product_price_id: plan.price,
      },
    ],
    seats,
  });

  const pay = (reason: string, at: number): Told => {
    subscription.payments += 1;
    subscription.end = monthsAfter(at, 1);
    return tell('order.paid', at, order(`plan${subscription.payments}`, reason, subscription.plan, 3, 0, at));
  };

  const refund = (name: string, amount: number, dispute: object | null, at: number) => ({
    id: id(`refund-${name}`),
    created_at: iso(at),
    modified_at: null,
    status: 'succeeded',
    reason: dispute === null ? 'customer_request' : 'dispute_prevention',
    amount,
    tax_amount: 0,
    currency: 'usd',
    order_id: id('order'),
    subscription_id: null,
    customer_id: customer.id,
    revoke_benefits: false,
    dispute,
  });

  const refunded = (sum: number, at: number): Told[] => [
    tell('refund.created', at, refund(String(sum), 4900, null, at)),
    tell('order.refunded', at, order('order', 'purchase', ONCE, 2, sum, at)),
  ];

  return {
    source: polar,
    secret,
    once: { by: 'price', id: ONCE.price },
    basic: { by: 'price', id: BASIC.price },
    pro: { by: 'price', id: PRO.price },
    apiKey: null,
    steps: {
      buy: (at) =>
        ['order.created', 'order.paid'].map((type) => tell(type, at, order('order', 'purchase', ONCE, 2, 0, at))),
      refundPart: (at) => refunded(4900, at),
      refundRest: (at) => refunded(9800, at),
      dispute: (at) => {
        const dispute = { id: id('dispute'), status: 'needs_response', amount: 9800, resolved: false };
        return [tell('refund.created', at, refund('dispute', 9800, dispute, at))];
      },
      subscribe: (at) => {
        const paid = pay('subscription_create', at);
        return [tell('subscription.created', at, subscriptionObject('active', at)), paid];
      },
      renew: (at) => {
        // The period moves before the order is paid.
        const paid = pay('subscription_cycle', at);
        return [tell('subscription.cycled', at, subscriptionObject('active', at)), paid];
      },
      changePlan: (at) => {
        subscription.plan = PRO;
        subscription.payments += 1;
        const paid = order(`plan${subscription.payments}`, 'subscription_update', PRO, 3, 0, at);
        return [tell('subscription.updated', at, subscriptionObject('active', at)), tell('order.paid', at, paid)];
      },
      pause: (at) => [tell('subscription.paused', at, subscriptionObject('paused', at))],
      resume: (at) => {
        const paid = pay('subscription_cycle', at);
        return [tell('subscription.resumed', at, subscriptionObject('active', at)), paid];
      },
      refundRenewal: (at) => {
        const paid = order(`plan${subscription.payments}`, 'subscription_cycle', subscription.plan, 3, 9800, at);
        return [tell('order.refunded', at, paid)];
      },
      end: (at) => [tell('subscription.revoked', at, subscriptionObject('canceled', at))],
    },
    answer: () => undefined,
    sign: (told, now, given = secret) => {
      const key = given.startsWith('whsec_') ? Buffer.from(given.slice(6), 'base64') : given;
      const signed = `${told.headers['webhook-id']}.${seconds(now)}.${told.body}`;
      const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      return deliveryOf(told, { 'webhook-timestamp': String(seconds(now)), 'webhook-signature': signature });
    },
  };
}
