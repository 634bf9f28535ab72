/**
 * Lemon Squeezy: the body is signed in hex. An order does not say whether it begins a subscription, so it counts for
 * mappings of things sold once, and `subscription_created` for those of subscriptions. The buyers' own fields
 * (`custom_data`) are not read.
 */
import type { Fact, Paid, Refunded, Sold, SoldLine, SubscriptionState } from './facts.ts';
import { Fields, parseJson, UnknownShape } from './fields.ts';
import { bodyRejection, digestOf } from './signed.ts';
import type { CatchUpList, DeliveredEvent, Source } from './source.ts';
import {
  bearerRequest,
  type Facts,
  ignored,
  namesOf,
  readEvents,
  readPage,
  referencesOf,
  translate,
} from './translating.ts';

const JSON_API = 'application/vnd.api+json';
const MAX_PAGES = 20;

const STATES: Readonly<Record<string, SubscriptionState>> = {
  on_trial: 'trial',
  active: 'active',
  // Cancelled means that the present period is the last one.
  cancelled: 'active',
  past_due: 'pastDue',
  paused: 'paused',
  unpaid: 'unpaid',
  expired: 'ended',
};

/** The source of Lemon Squeezy. */
export const lemonSqueezy: Source<'lemonsqueezy'> = {
  name: 'lemonsqueezy',
  title: 'Lemon Squeezy',
  secret: 'typed',
  issuesKeys: true,
  hasBroadKeys: true,
  steps: [
    'In Settings, open Webhooks and add one.',
    'Enter {url} as the callback URL.',
    'Enter {secret} as the signing secret.',
    'Select the events of orders, subscriptions, subscription payments and license keys.',
    'Lemon Squeezy tries for two and a half minutes only. After a longer outage, send the events of that time again from its page of the webhook.',
  ],
  secretReference: 'session',
  matches: ['variant', 'product', 'any'],
  verify: (delivery, secrets) => bodyRejection(delivery, 'x-signature', 'hex', secrets),
  events: (delivery) => readEvents(delivery, (text) => [eventOf(parseJson(text), text)]),
  facts: (event) => translate(event, (body) => factsOf(event.type, body.object('data'))),
  lookUps: {
    origin: 'https://api.lemonsqueezy.com',
    request: (path, apiKey) => bearerRequest(path, apiKey, { accept: JSON_API }),
    pathOf: ({ id }) => `/v1/orders/${encodeURIComponent(id)}`,
    catchUp: [
      listOf('orders', (order, since) => (order.moment('created_at') >= since ? 'order_created' : 'order_refunded')),
      listOf('subscriptions', (subscription, since) =>
        subscription.moment('created_at') >= since ? 'subscription_created' : 'subscription_updated',
      ),
      listOf('license-keys', () => 'license_key_updated'),
    ],
  },
};

function eventOf(event: Fields, body: string): DeliveredEvent {
  const meta = event.object('meta');
  const data = event.object('data');
  const attributes = data.object('attributes');
  return {
    // The body stands in the id: nothing says whether webhook_id is one of the event or of the vendor's setting.
    sellerEventId: [...(meta.has('webhook_id') ? [meta.id('webhook_id')] : []), digestOf(body)].join(':'),
    type: meta.text('event_name'),
    at: attributes.maybeMoment('updated_at') ?? attributes.maybeMoment('created_at'),
    isTest: meta.has('test_mode') ? meta.flag('test_mode') : attributes.flag('test_mode'),
    subject: data.maybeId('id'),
    body,
  };
}

function factsOf(type: string, data: Fields): Facts {
  const id = data.id('id');
  const attributes = data.object('attributes');
  switch (data.text('type')) {
    case 'orders':
      return orderFacts(type, id, attributes);
    case 'subscriptions':
      return subscriptionFacts(type, id, attributes);
    case 'subscription-invoices':
      return invoiceFacts(type, id, attributes);
    case 'license-keys':
      return keyFacts(attributes);
    default:
      return ignored('unused_type');
  }
}

function orderFacts(type: string, id: string, order: Fields): Facts {
  const status = order.text('status');
  const at = order.moment('updated_at');
  const of = referencesOf({ order: id });
  const facts: Fact[] = [];
  if (status === 'pending' || status === 'failed') return ignored('not_paid');
  if (type === 'order_created') facts.push(orderSold(id, order));
  if (status === 'fraudulent') facts.push({ fact: 'disputed', dispute: id, phase: 'opened', of, at });
  const refundedInAll = order.maybeWhole('refunded_amount') ?? 0;
  const isFull = status === 'refunded';
  if (isFull || refundedInAll > 0) {
    const currency = order.currency('currency');
    const sum = isFull && refundedInAll === 0 ? order.whole('total') : refundedInAll;
    facts.push(refundOf({ refund: `${id}:${sum}`, of, refundedInAll: sum, currency, isFull, payment: null, at }));
  }
  return facts.length === 0 ? ignored('told_elsewhere') : facts;
}

function refundOf(
  known: Pick<Refunded, 'refund' | 'of' | 'refundedInAll' | 'currency' | 'isFull' | 'payment' | 'at'>,
): Refunded {
  return { fact: 'refunded', amount: null, takesBack: false, lines: null, ...known };
}

function orderSold(id: string, order: Fields): Sold {
  const item = order.object('first_order_item');
  const amount = order.whole('total');
  return {
    fact: 'sold',
    order: id,
    // The identifier is in the address of the thank-you page.
    references: referencesOf({ order: id, session: order.maybeId('identifier') }),
    email: order.email('user_email'),
    customer: order.maybeId('customer_id'),
    language: null,
    lines: [
      soldLine(item.id('id'), item, {
        quantity: item.maybeWhole('quantity') ?? 1,
        amount: order.maybeWhole('subtotal') ?? amount,
        isRecurring: false,
        period: null,
        countsFor: 'once',
      }),
    ],
    total: { amount, currency: order.currency('currency') },
    subscription: null,
    at: order.moment('created_at'),
  };
}

function soldLine(line: string, item: Fields, terms: Omit<SoldLine, 'line' | 'names'>): SoldLine {
  return { line, names: namesOf({ variant: item.id('variant_id'), product: item.maybeId('product_id') }), ...terms };
}

function subscriptionFacts(type: string, id: string, subscription: Fields): Facts {
  const status = subscription.text('status');
  const state = stateOf(status, subscription);
  const asOf = subscription.moment('updated_at');
  const item = subscription.maybeObject('first_subscription_item');
  const quantity = item?.maybeWhole('quantity') ?? 1;
  const renewsAt = subscription.maybeMoment('renews_at');
  const trialEnd = subscription.maybeMoment('trial_ends_at');
  const isTrial = state === 'trial';
  const customer = subscription.maybeId('customer_id');
  const facts: Fact[] = [];
  if (type === 'subscription_created') {
    const order = subscription.id('order_id');
    const end = isTrial ? trialEnd : renewsAt;
    const period = end === null ? null : { end, isTrial };
    facts.push({
      fact: 'sold',
      order,
      references: referencesOf({ order, subscription: id }),
      email: subscription.email('user_email'),
      customer,
      language: null,
      lines: [
        soldLine(subscription.id('order_item_id'), subscription, {
          quantity,
          amount: null,
          isRecurring: true,
          period,
          countsFor: 'subscription',
        }),
      ],
      total: null,
      subscription: id,
      at: subscription.moment('created_at'),
    });
  } else if (status === 'active' && renewsAt !== null) {
    const paid: Paid = { fact: 'paid', subscription: id, periodEnd: renewsAt, references: [], at: asOf };
    facts.push(paid);
  }
  const names = namesOf({ variant: subscription.id('variant_id'), product: subscription.maybeId('product_id') });
  const until = isTrial ? trialEnd : state === 'ended' ? subscription.maybeMoment('ends_at') : null;
  const lines = [{ line: subscription.maybeId('order_item_id'), names, quantity }];
  facts.push({ fact: 'subscription', subscription: id, state, asOf, until, lines, customer });
  return facts;
}

function stateOf(status: string, subscription: Fields): SubscriptionState {
  const state = STATES[status];
  if (state === undefined) throw new UnknownShape('data.attributes.status');
  // A vendor may pause the payments alone: `free` goes on without them.
  const isFree = state === 'paused' && subscription.maybeObject('pause')?.maybeText('mode') === 'free';
  return isFree ? 'active' : state;
}

function invoiceFacts(type: string, id: string, invoice: Fields): Facts {
  const subscription = invoice.id('subscription_id');
  if (type === 'subscription_payment_failed') return ignored('told_elsewhere');
  const of = referencesOf({ invoice: id, subscription });
  if (type !== 'subscription_payment_refunded')
    return [{ fact: 'linked', reference: of[0]!, to: referencesOf({ subscription }) }];
  const total = invoice.whole('total');
  const refundedInAll = invoice.maybeWhole('refunded_amount') ?? total;
  return [
    refundOf({
      refund: `${id}:${refundedInAll}`,
      of,
      refundedInAll,
      currency: invoice.currency('currency'),
      isFull: refundedInAll >= total,
      payment: invoice.maybeText('billing_reason') === 'initial' ? 'first' : 'later',
      at: invoice.moment('updated_at'),
    }),
  ];
}

function keyFacts(key: Fields): Facts {
  return [
    {
      fact: 'theirKey',
      key: key.text('key'),
      of: referencesOf({ order: key.id('order_id') }),
      line: key.maybeId('order_item_id'),
      limit: key.maybeWhole('activation_limit') ?? -1,
      expiresAt: key.maybeMoment('expires_at'),
      isDisabled: key.flag('disabled') || key.maybeText('status') === 'disabled',
      asOf: key.moment('updated_at'),
    },
  ];
}

/**
 * A list of the API, the newest entries first; its entries become events of the type that would have told them. The API
 * cannot list by the time of a change, so the changes of the newest 2,000 entries are found.
 */
function listOf(list: string, typeOf: (attributes: Fields, since: number) => string): CatchUpList {
  const path = (number: number) => `/v1/${list}?page[size]=100&page[number]=${number}`;
  return {
    first: () => path(1),
    read: (value, since) =>
      readPage(value, (page) => {
        const position = page.object('meta').object('page');
        const current = position.whole('currentPage');
        const isLast = current >= Math.min(position.whole('lastPage'), MAX_PAGES);
        const changed = page.list('data').filter((entry) => entry.object('attributes').moment('updated_at') >= since);
        return {
          events: changed.map((entry) => listedEvent(entry, typeOf(entry.object('attributes'), since))),
          next: isLast ? null : path(current + 1),
        };
      }),
  };
}

function listedEvent(entry: Fields, type: string): DeliveredEvent {
  const meta = { event_name: type, test_mode: entry.object('attributes').flag('test_mode') };
  const body = `{"meta":${JSON.stringify(meta)},"data":${entry.json()}}`;
  return eventOf(new Fields(JSON.parse(body), ''), body);
}
