/**
 * WooCommerce, also with WooCommerce Subscriptions: the body is signed in base64. Its shop delivers once and never
 * again. It tells orders whole after any change, so each event of an order may tell a sale and refunds.
 */
import type { Fact, Paid, Sold, SoldLine, SubscriptionState } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { minorUnitsOf } from './money.ts';
import { bodyRejection, digestOf } from './signed.ts';
import type { DeliveredEvent, Delivery, Source } from './source.ts';
import { type Facts, ignored, namesOf, readEvents, referencesOf, translate } from './translating.ts';

const STATES: Readonly<Record<string, SubscriptionState>> = {
  active: 'active',
  // The present period is the last one.
  'pending-cancel': 'active',
  'on-hold': 'paused',
  cancelled: 'ended',
  expired: 'ended',
  switched: 'ended',
};

/** Fields of an order that tell the subscription whose payment it is. */
const PAYMENT_OF = ['_subscription_renewal', '_subscription_switch', '_subscription_resubscribe'];

/** The source of WooCommerce. */
export const wooCommerce: Source<'woocommerce'> = {
  name: 'woocommerce',
  title: 'WooCommerce',
  secret: 'typed',
  steps: [
    'In WooCommerce, open Settings, Advanced, Webhooks and add one for each of the topics Order updated and, with Subscriptions, Subscription updated.',
    'Enter {url} as the delivery URL.',
    'Enter {secret} as the secret.',
    'Choose the newest version of the API and the status Active. WooCommerce does not try again: look at this page after an outage, and save the missed orders once more.',
  ],
  matches: ['variant', 'sku', 'product', 'any'],
  verify: (delivery, secrets) => bodyRejection(delivery, 'x-wc-webhook-signature', 'base64', secrets),
  isTrial: isTrialForm,
  events: (delivery) => readEvents(delivery, (text) => [eventOf(delivery, parseJson(text), text)]),
  facts: (event) => translate(event, (body) => factsOf(event.type, body)),
  lookUps: null,
};

/** Whether a request is the unsigned form by which a shop tries an address while its webhook is saved. */
export function isTrialForm({ body, headers }: Delivery): boolean {
  const isForm = headers['content-type']?.[0]?.startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm && body.length < 100 && /^webhook_id=\d+$/.test(Buffer.from(body).toString());
}

function eventOf(delivery: Delivery, event: Fields, body: string): DeliveredEvent {
  const topic = delivery.headers['x-wc-webhook-topic']?.[0] ?? '';
  if (!/^[a-z_.]{3,60}$/.test(topic)) throw new UnknownShape('x-wc-webhook-topic');
  // A shop whose webhook lost its owner signs the refusal of its own API.
  if (event.has('code') && event.has('message') && !event.has('id')) throw new UnknownShape(event.text('code'));
  const changed = event.maybeMoment('date_modified_gmt');
  return {
    // Ids of deliveries repeat within a second.
    sellerEventId: digestOf(topic, delivery.body),
    type: topic,
    at: changed,
    isTest: null,
    subject: event.id('id'),
    body,
  };
}

function factsOf(type: string, body: Fields): Facts {
  if (type === 'order.created' || type === 'order.updated') return orderFacts(body);
  if (type.startsWith('subscription.')) return subscriptionFacts(type, body);
  return ignored('unused_type');
}

function orderFacts(order: Fields): Facts {
  const id = order.id('id');
  const status = order.text('status');
  const of = referencesOf({ order: id });
  const at = order.maybeMoment('date_modified_gmt') ?? order.moment('date_created_gmt');
  const payer = subscriptionOf(order);
  const refunds = order.maybeList('refunds');
  const facts: Fact[] = [];
  if (payer !== null) facts.push({ fact: 'linked', reference: of[0]!, to: referencesOf({ subscription: payer }) });
  else if (status === 'completed') facts.push(orderSold(id, order));
  const isFull = status === 'refunded';
  if (isFull || refunds.length > 0) {
    const currency = order.currency('currency');
    const sum = refunds.reduce((all, refund) => all + Math.abs(minorUnitsOf(refund.decimal('total'), currency)), 0);
    const total = minorUnitsOf(order.decimal('total'), currency);
    facts.push({
      fact: 'refunded',
      refund: `${id}:${sum}`,
      of,
      amount: null,
      refundedInAll: sum,
      currency,
      isFull: isFull || sum >= total,
      takesBack: false,
      lines: null,
      payment: payer === null ? null : 'later',
      at,
    });
  }
  return facts.length === 0 ? ignored('not_paid') : facts;
}

/** The subscription whose renewal this order pays. */
function subscriptionOf(order: Fields): string | null {
  for (const meta of order.maybeList('meta_data'))
    if (PAYMENT_OF.includes(meta.maybeText('key') ?? '')) return meta.maybeId('value');
  return null;
}

function orderSold(id: string, order: Fields): Sold {
  const currency = order.currency('currency');
  return {
    fact: 'sold',
    order: id,
    references: referencesOf({
      order: id,
      session: order.maybeText('order_key'),
      payment: order.maybeId('transaction_id'),
    }),
    email: order.object('billing').email('email'),
    customer: order.maybeId('customer_id'),
    language: null,
    lines: order.list('line_items').map((item) => soldLine(item, currency)),
    total: { amount: minorUnitsOf(order.decimal('total'), currency), currency },
    subscription: null,
    at: order.maybeMoment('date_paid_gmt') ?? order.moment('date_created_gmt'),
  };
}

function soldLine(item: Fields, currency: string): SoldLine {
  return {
    line: item.id('id'),
    names: itemNames(item),
    quantity: item.whole('quantity'),
    amount: minorUnitsOf(item.decimal('total'), currency),
    isRecurring: false,
    period: null,
    countsFor: null,
  };
}

function itemNames(item: Fields) {
  return namesOf({
    variant: item.maybeId('variation_id'),
    sku: item.maybeText('sku'),
    product: item.maybeId('product_id'),
  });
}

function subscriptionFacts(type: string, subscription: Fields): Facts {
  const id = subscription.id('id');
  if (type === 'subscription.deleted') return ignored('no_change');
  const status = subscription.text('status');
  if (status === 'pending') return ignored('not_paid');
  const state = STATES[status];
  if (state === undefined) throw new UnknownShape('status');
  const asOf = subscription.maybeMoment('date_modified_gmt') ?? subscription.moment('date_created_gmt');
  const facts: Fact[] = [];
  // The order that began the subscription told its sale.
  const parent = subscription.maybeId('parent_id');
  if (parent !== null)
    facts.push({ fact: 'linked', reference: { kind: 'subscription', id }, to: referencesOf({ order: parent }) });
  const next = subscription.maybeMoment('next_payment_date_gmt');
  if (status === 'active' && next !== null) {
    const paid: Paid = { fact: 'paid', subscription: id, periodEnd: next, references: [], at: asOf };
    facts.push(paid);
  }
  const end = subscription.maybeMoment('end_date_gmt');
  const lines = subscription.list('line_items').map((item) => ({
    line: null,
    names: itemNames(item),
    quantity: item.whole('quantity'),
  }));
  const until = state === 'ended' ? end : null;
  facts.push({ fact: 'subscription', subscription: id, state, asOf, until, lines, customer: null });
  return facts;
}
