/** WooCommerce's stand-in: orders, and WooCommerce Subscriptions. */
import { createHmac } from 'node:crypto';
import { wooCommerce } from '../../../src/commerce/connectors/sources/woocommerce.ts';
import { type Buyer, deliveryOf, iso, monthsAfter, type Seller, type Told } from './seller.ts';

const [ONCE, BASIC, PRO] = [511, 611, 612] as const;

/** Moments are in UTC and do not say so. */
const gmt = (at: number): string => iso(at).slice(0, 19);

/** A WooCommerce shop with one buyer. */
export function wooCommerceSeller({ number, email }: Buyer): Seller {
  const secret = 'the secret of the webhook';
  const [orderId, planOrder, subscriptionId] = [20_000 + number * 10, 20_001 + number * 10, 20_002 + number * 10];
  const subscription = { product: BASIC as number, end: 0, renewals: 0 };
  let deliveries = 0;

  const tell = (topic: string, at: number, body: object): Told => {
    deliveries += 1;
    return {
      body: JSON.stringify(body),
      headers: {
        'x-wc-webhook-source': 'https://shop.example.com/',
        'x-wc-webhook-topic': topic,
        'x-wc-webhook-resource': topic.split('.')[0]!,
        'x-wc-webhook-event': topic.split('.')[1]!,
        'x-wc-webhook-id': '1',
        // The id is a hash of the second.
        'x-wc-webhook-delivery-id': gmt(at),
        'user-agent': `WooCommerce/9.4.1 Hookshot (WordPress/6.7.1) ${deliveries}`,
      },
    };
  };

  const item = (product: number, quantity: number) => ({
    id: 40_000 + number,
    name: 'Studio',
    product_id: product,
    variation_id: 0,
    quantity,
    subtotal: '82.35',
    total: '82.35',
    total_tax: '15.65',
    sku: `STUDIO-${product}`,
    price: 41.175,
    meta_data: [],
  });

  const order = (
    id: number,
    status: string,
    items: readonly object[],
    at: number,
    more: { readonly refunds?: readonly string[]; readonly renews?: boolean } = {},
  ) => ({
    id,
    parent_id: 0,
    status,
    currency: 'EUR',
    date_created_gmt: gmt(at),
    date_modified_gmt: gmt(at),
    date_paid_gmt: gmt(at),
    date_completed_gmt: status === 'completed' ? gmt(at) : null,
    discount_total: '0.00',
    total: '98.00',
    total_tax: '15.65',
    customer_id: 0,
    order_key: `wc_order_x${id}`,
    billing: { first_name: 'Zoë', last_name: 'Buyer', email, country: 'AT' },
    transaction_id: `ch_x${id}`,
    created_via: more.renews ? 'subscription' : 'checkout',
    customer_note: 'latchkey_variant: what the buyer likes',
    meta_data: more.renews ? [{ id: 1, key: '_subscription_renewal', value: String(subscriptionId) }] : [],
    line_items: items,
    refunds: (more.refunds ?? []).map((total, index) => ({ id: id * 10 + index, reason: '', total })),
  });

  const subscriptionObject = (status: string, at: number) => ({
    id: subscriptionId,
    parent_id: planOrder,
    status,
    currency: 'EUR',
    date_created_gmt: gmt(at),
    date_modified_gmt: gmt(at),
    billing_period: 'month',
    billing_interval: '1',
    next_payment_date_gmt: status === 'active' ? gmt(subscription.end) : '',
    end_date_gmt: status === 'cancelled' ? gmt(at) : '',
    billing: { email },
    line_items: [item(subscription.product, 3)],
  });

  return {
    source: wooCommerce,
    secret,
    once: { by: 'product', id: String(ONCE) },
    basic: { by: 'product', id: String(BASIC) },
    pro: { by: 'product', id: String(PRO) },
    apiKey: null,
    steps: {
      buy: (at) => [
        tell('order.created', at, order(orderId, 'pending', [item(ONCE, 2)], at)),
        tell('order.updated', at, order(orderId, 'processing', [item(ONCE, 2)], at)),
        tell('order.updated', at, order(orderId, 'completed', [item(ONCE, 2)], at)),
      ],
      refundPart: (at) => [
        tell('order.updated', at, order(orderId, 'completed', [item(ONCE, 2)], at, { refunds: ['-49.00'] })),
      ],
      refundRest: (at) => [
        tell('order.updated', at, order(orderId, 'refunded', [item(ONCE, 2)], at, { refunds: ['-49.00', '-49.00'] })),
      ],
      subscribe: (at) => {
        subscription.end = monthsAfter(at, 1);
        return [
          tell('order.updated', at, order(planOrder, 'completed', [item(BASIC, 3)], at)),
          tell('subscription.created', at, subscriptionObject('active', at)),
        ];
      },
      renew: (at) => {
        subscription.renewals += 1;
        subscription.end = monthsAfter(at, 1);
        const renewal = order(30_000 + number * 100 + subscription.renewals, 'completed', [item(BASIC, 3)], at, {
          renews: true,
        });
        return [tell('order.updated', at, renewal), tell('subscription.updated', at, subscriptionObject('active', at))];
      },
      changePlan: (at) => {
        subscription.product = PRO;
        return [tell('subscription.updated', at, subscriptionObject('active', at))];
      },
      pause: (at) => [tell('subscription.updated', at, subscriptionObject('on-hold', at))],
      resume: (at) => {
        subscription.end = monthsAfter(at, 1);
        return [tell('subscription.updated', at, subscriptionObject('active', at))];
      },
      refundRenewal: (at) => {
        const id = 30_000 + number * 100 + subscription.renewals;
        const refunds = ['-98.00'];
        return [tell('order.updated', at, order(id, 'refunded', [item(BASIC, 3)], at, { refunds, renews: true }))];
      },
      end: (at) => [tell('subscription.updated', at, subscriptionObject('cancelled', at))],
    },
    answer: () => undefined,
    sign: (told, _now, key = secret) =>
      deliveryOf(told, { 'x-wc-webhook-signature': createHmac('sha256', key).update(told.body).digest('base64') }),
  };
}
