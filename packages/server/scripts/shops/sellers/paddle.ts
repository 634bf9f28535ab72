/** Paddle Billing's stand-in: a transaction of the checkout, a subscription, and adjustments. */
import { createHmac } from 'node:crypto';
import { paddle } from '../../../src/commerce/connectors/sources/paddle.ts';
import { type Buyer, deliveryOf, iso, monthsAfter, type Seller, seconds, type Told } from './seller.ts';

const CYCLE = { interval: 'month', frequency: 1 };
const ONCE = { id: 'pri_01hvonce', product_id: 'pro_01hvonce', billing_cycle: null, trial_period: null };
const BASIC = { id: 'pri_01hvbasic', product_id: 'pro_01hvplan', billing_cycle: CYCLE, trial_period: null };
const PRO = { id: 'pri_01hvpro', product_id: 'pro_01hvplan', billing_cycle: CYCLE, trial_period: null };
type Price = typeof ONCE | typeof BASIC;

/** A Paddle account with one buyer. */
export function paddleSeller({ number, email }: Buyer): Seller {
  const secret = 'pdl_ntfset_01hvsecret_q3oPpYHkTwy5xkYJ';
  const id = (prefix: string, name: string) => `${prefix}_01hv${name}${number}`;
  const customer = id('ctm', 'buyer');
  const subscription = { id: id('sub', 'plan'), price: BASIC as Price, end: 0, payments: 0 };
  const customerObject = { id: customer, email, locale: 'de', name: 'Zoë Buyer', status: 'active', custom_data: null };
  let events = 0;

  const tell = (type: string, at: number, data: object): Told => {
    events += 1;
    const event_id = id('evt', String(events));
    const notification_id = id('ntf', String(events));
    return {
      body: JSON.stringify({ event_id, event_type: type, occurred_at: iso(at), notification_id, data }),
      headers: { 'user-agent': 'Paddle' },
    };
  };

  const transaction = (
    name: string,
    origin: string,
    price: Price,
    quantity: number,
    end: number | null,
    at: number,
  ) => ({
    id: id('txn', name),
    status: 'completed',
    customer_id: customer,
    custom_data: { latchkey_variant: 'what the buyer likes', email: 'other@example.com' },
    origin,
    subscription_id: end === null ? null : subscription.id,
    invoice_id: id('inv', name),
    invoice_number: `325-${name}`,
    collection_mode: 'automatic',
    currency_code: 'EUR',
    billing_period: end === null ? null : { starts_at: iso(at), ends_at: iso(end) },
    items: [{ price, quantity, proration: null }],
    details: {
      totals: {
        subtotal: '8235',
        tax: '1565',
        discount: '0',
        total: '9800',
        grand_total: '9800',
        currency_code: 'EUR',
      },
      line_items: [
        {
          id: id('txnitm', name),
          price_id: price.id,
          quantity,
          totals: { subtotal: '8235', tax: '1565', discount: '0', total: '9800' },
          product: { id: price.product_id, name: 'Studio' },
        },
      ],
    },
    created_at: iso(at),
    billed_at: iso(at),
  });

  const adjustment = (name: string, action: string, status: string, amount: string, type: string) => ({
    id: id('adj', name),
    action,
    type,
    transaction_id: id('txn', name === 'renewal' ? `plan${subscription.payments}` : 'order'),
    subscription_id: name === 'renewal' ? subscription.id : null,
    customer_id: customer,
    reason: 'error',
    currency_code: 'EUR',
    status,
    items: [{ id: id('adjitm', name), item_id: id('txnitm', 'order'), type, amount, proration: null }],
    totals: { subtotal: amount, tax: '0', total: amount, fee: '0', earnings: amount, currency_code: 'EUR' },
  });

  const subscriptionObject = (status: string, at: number, transactionId?: string) => ({
    id: subscription.id,
    status,
    customer_id: customer,
    currency_code: 'EUR',
    ...(transactionId === undefined ? {} : { transaction_id: transactionId }),
    started_at: iso(at),
    next_billed_at: status === 'active' ? iso(subscription.end) : null,
    paused_at: status === 'paused' ? iso(at) : null,
    canceled_at: status === 'canceled' ? iso(at) : null,
    current_billing_period: { starts_at: iso(at), ends_at: iso(subscription.end) },
    items: [{ status: 'active', quantity: 3, recurring: true, price: subscription.price }],
    scheduled_change: null,
  });

  const pay = (origin: string, at: number): Told => {
    subscription.payments += 1;
    if (origin !== 'subscription_update') subscription.end = monthsAfter(at, 1);
    const name = `plan${subscription.payments}`;
    return tell('transaction.completed', at, transaction(name, origin, subscription.price, 3, subscription.end, at));
  };

  return {
    source: paddle,
    secret,
    once: { by: 'price', id: ONCE.id },
    basic: { by: 'price', id: BASIC.id },
    pro: { by: 'price', id: PRO.id },
    apiKey: 'pdl_live_apikey_01hvkey',
    steps: {
      buy: (at) => [
        tell('customer.created', at, customerObject),
        tell('transaction.completed', at, transaction('order', 'web', ONCE, 2, null, at)),
      ],
      refundPart: (at) => [
        tell('adjustment.created', at, adjustment('part', 'refund', 'pending_approval', '4900', 'partial')),
        tell('adjustment.updated', at, adjustment('part', 'refund', 'approved', '4900', 'partial')),
      ],
      refundRest: (at) => [tell('adjustment.created', at, adjustment('rest', 'refund', 'approved', '4900', 'full'))],
      dispute: (at) => [tell('adjustment.created', at, adjustment('back', 'chargeback', 'approved', '9800', 'full'))],
      win: (at) => [
        tell('adjustment.created', at, adjustment('won', 'chargeback_reverse', 'approved', '9800', 'full')),
      ],
      subscribe: (at) => {
        const completed = pay('web', at);
        const created = subscriptionObject('active', at, id('txn', `plan${subscription.payments}`));
        return [tell('customer.created', at, customerObject), tell('subscription.created', at, created), completed];
      },
      renew: (at) => {
        const paid = pay('subscription_recurring', at);
        return [tell('subscription.updated', at, subscriptionObject('active', at)), paid];
      },
      changePlan: (at) => {
        subscription.price = PRO;
        const updated = tell('subscription.updated', at, subscriptionObject('active', at));
        return [updated, pay('subscription_update', at)];
      },
      pause: (at) => [tell('subscription.paused', at, subscriptionObject('paused', at))],
      resume: (at) => {
        const paid = pay('subscription_recurring', at);
        return [tell('subscription.resumed', at, subscriptionObject('active', at)), paid];
      },
      refundRenewal: (at) => [
        tell('adjustment.created', at, adjustment('renewal', 'refund', 'approved', '9800', 'full')),
      ],
      end: (at) => [tell('subscription.canceled', at, subscriptionObject('canceled', at))],
    },
    answer: ({ id: of }) => (of === customer ? { data: customerObject, meta: { request_id: 'r' } } : undefined),
    sign: (told, now, key = secret) => {
      const h1 = createHmac('sha256', key)
        .update(`${seconds(now)}:${told.body}`)
        .digest('hex');
      return deliveryOf(told, { 'paddle-signature': `ts=${seconds(now)};h1=${h1}` });
    },
  };
}
