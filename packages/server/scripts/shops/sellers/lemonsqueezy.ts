/** Lemon Squeezy's stand-in: an order, and a subscription that is told in four events. */
import { createHmac } from 'node:crypto';
import { lemonSqueezy } from '../../../src/commerce/connectors/sources/lemonsqueezy.ts';
import { type Buyer, deliveryOf, monthsAfter, type Seller, type Told } from './seller.ts';

const [ONCE, BASIC, PRO] = [411_001, 411_002, 411_003];
const PRODUCT = 96_001;

/** Moments have six digits of a second. */
const micros = (at: number): string => new Date(at).toISOString().replace('Z', '000Z');

/** A Lemon Squeezy store with one buyer. */
export function lemonSqueezySeller({ number, email }: Buyer): Seller {
  const secret = 'a signing secret of the vendor';
  const [order, planOrder, subscriptionId] = [2_000_000 + number, 3_000_000 + number, 4_000_000 + number];
  const subscription = { variant: BASIC, end: 0, invoices: 0 };
  const buyer = { store_id: 1, customer_id: 700_000 + number, user_name: 'Zoë Buyer', user_email: email };

  /** The newest state of each thing, by its kind and id. */
  const things = new Map<string, { readonly type: string; readonly id: string; readonly attributes: object }>();

  const tell = (name: string, type: string, id: number, attributes: object): Told => {
    const data = { type, id: String(id), attributes, relationships: {} };
    things.set(`${type} ${id}`, data);
    const meta = { test_mode: false, event_name: name, custom_data: { latchkey_variant: 'what the buyer likes' } };
    return {
      body: JSON.stringify({ meta, data }),
      headers: { 'x-event-name': name, 'user-agent': 'LemonSqueezy-Hookshot' },
    };
  };

  const orderOf = (id: number, variant: number, status: string, refunded: number, quantity: number, at: number) => ({
    ...buyer,
    identifier: `104e18a2-d755-4d4b-80c4-${String(id).padStart(12, '0')}`,
    order_number: id,
    currency: 'USD',
    subtotal: 9800,
    tax: 1862,
    total: 11_662,
    refunded_amount: refunded,
    status,
    refunded: status === 'refunded',
    refunded_at: refunded > 0 ? micros(at) : null,
    first_order_item: {
      id: id + 10_000_000,
      order_id: id,
      product_id: PRODUCT,
      variant_id: variant,
      price_id: variant,
      product_name: 'Studio',
      variant_name: 'Default',
      quantity,
      price: 4900,
    },
    test_mode: false,
    created_at: micros(at),
    updated_at: micros(at),
  });

  const subscriptionObject = (status: string, at: number) => ({
    ...buyer,
    order_id: planOrder,
    order_item_id: planOrder + 10_000_000,
    product_id: PRODUCT,
    variant_id: subscription.variant,
    status,
    pause: status === 'paused' ? { mode: 'void', resumes_at: null } : null,
    cancelled: status === 'expired',
    trial_ends_at: null,
    first_subscription_item: { id: 1, subscription_id: subscriptionId, price_id: subscription.variant, quantity: 3 },
    renews_at: micros(subscription.end),
    ends_at: status === 'expired' ? micros(at) : null,
    test_mode: false,
    created_at: micros(at),
    updated_at: micros(at),
  });

  const invoice = (reason: string, refunded: number, at: number) => ({
    ...buyer,
    subscription_id: subscriptionId,
    billing_reason: reason,
    currency: 'USD',
    status: refunded > 0 ? 'refunded' : 'paid',
    refunded: refunded > 0,
    refunded_amount: refunded,
    total: 2700,
    test_mode: false,
    created_at: micros(at),
    updated_at: micros(at),
  });

  const pay = (reason: string, at: number): Told => {
    subscription.invoices += 1;
    subscription.end = monthsAfter(at, 1);
    const id = 5_000_000 + number * 100 + subscription.invoices;
    return tell('subscription_payment_success', 'subscription-invoices', id, invoice(reason, 0, at));
  };

  const key = (at: number) => ({
    ...buyer,
    order_id: planOrder,
    order_item_id: planOrder + 10_000_000,
    product_id: PRODUCT,
    key: `80e15db5-c796-436b-850c-${String(number).padStart(12, '0')}`,
    activation_limit: 5,
    instances_count: 0,
    disabled: 0,
    status: 'inactive',
    expires_at: null,
    test_mode: false,
    created_at: micros(at),
    updated_at: micros(at),
  });

  const changed = (name: string, status: string, at: number) =>
    tell(name, 'subscriptions', subscriptionId, subscriptionObject(status, at));

  return {
    source: lemonSqueezy,
    secret,
    once: { by: 'variant', id: String(ONCE) },
    basic: { by: 'variant', id: String(BASIC) },
    pro: { by: 'variant', id: String(PRO) },
    apiKey: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9',
    steps: {
      buy: (at) => [tell('order_created', 'orders', order, orderOf(order, ONCE, 'paid', 0, 2, at))],
      refundPart: (at) => [
        tell('order_refunded', 'orders', order, orderOf(order, ONCE, 'partial_refund', 4900, 2, at)),
      ],
      refundRest: (at) => [tell('order_refunded', 'orders', order, orderOf(order, ONCE, 'refunded', 11_662, 2, at))],
      dispute: (at) => [tell('order_refunded', 'orders', order, orderOf(order, ONCE, 'fraudulent', 0, 2, at))],
      subscribe: (at) => {
        const paid = pay('initial', at);
        return [
          tell('order_created', 'orders', planOrder, orderOf(planOrder, BASIC, 'paid', 0, 3, at)),
          changed('subscription_created', 'active', at),
          tell('license_key_created', 'license-keys', 6_000_000 + number, key(at)),
          paid,
        ];
      },
      renew: (at) => {
        const paid = pay('renewal', at);
        return [paid, changed('subscription_updated', 'active', at)];
      },
      changePlan: (at) => {
        subscription.variant = PRO;
        const told = ['subscription_updated', 'subscription_plan_changed'];
        return told.map((name) => changed(name, 'active', at));
      },
      pause: (at) => ['subscription_paused', 'subscription_updated'].map((name) => changed(name, 'paused', at)),
      resume: (at) => {
        subscription.end = monthsAfter(at, 1);
        return ['subscription_unpaused', 'subscription_updated'].map((name) => changed(name, 'active', at));
      },
      refundRenewal: (at) => {
        const id = 5_000_000 + number * 100 + subscription.invoices;
        return [tell('subscription_payment_refunded', 'subscription-invoices', id, invoice('renewal', 2700, at))];
      },
      end: (at) => [changed('subscription_expired', 'expired', at)],
    },
    answer: () => undefined,
    listed: (list) => [...things.values()].filter(({ type }) => type === list),
    sign: (told, _now, key = secret) =>
      deliveryOf(told, { 'x-signature': createHmac('sha256', key).update(told.body).digest('hex') }),
  };
}
