/** Shopify: the body is signed in base64, under either of two names. Only things that are sold once are told. */
import type { DisputePhase, Sold, SoldLine } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { minorUnitsOf } from './money.ts';
import { bodyRejection } from './signed.ts';
import type { DeliveredEvent, Delivery, Rejection, Source } from './source.ts';
import { type Facts, ignored, namesOf, readEvents, referencesOf, translate } from './translating.ts';

/** Newer subscriptions leave the first letter away. */
const SIGNATURES = ['shopify-hmac-sha256', 'x-shopify-hmac-sha256'] as const;

const DISPUTES: Readonly<Record<string, DisputePhase>> = {
  needs_response: 'opened',
  under_review: 'opened',
  charge_refunded: 'lost',
  accepted: 'lost',
  won: 'won',
  lost: 'lost',
};

/** The source of Shopify. */
export const shopify: Source<'shopify'> = {
  name: 'shopify',
  title: 'Shopify',
  secret: 'shown',
  steps: [
    'In Settings, open Notifications, then Webhooks.',
    'Make a webhook with the format JSON for each of Order payment, Refund create and the disputes.',
    'Enter {url} as the URL of each.',
    'Copy the signing secret from below the list into this connector as its signing secret.',
  ],
  matches: ['variant', 'sku', 'product', 'any'],
  verify,
  events: (delivery) => readEvents(delivery, (text) => [eventOf(delivery, parseJson(text), text)]),
  facts: (event) => translate(event, (body) => factsOf(event.type, body, event.at)),
  lookUps: null,
};

function verify(delivery: Delivery, secrets: readonly string[]): Rejection | null {
  const [named, ...others] = SIGNATURES.filter((name) => delivery.headers[name] !== undefined);
  if (others.length > 0) return 'signature_repeated';
  return bodyRejection(delivery, named ?? SIGNATURES[0], 'base64', secrets);
}

function headerOf({ headers }: Delivery, name: string): string {
  const value = (headers[`shopify-${name}`] ?? headers[`x-shopify-${name}`])?.[0] ?? '';
  if (value === '' || value.length > 200) throw new UnknownShape(`shopify-${name}`);
  return value;
}

function eventOf(delivery: Delivery, event: Fields, body: string): DeliveredEvent {
  return {
    sellerEventId: headerOf(delivery, 'webhook-id'),
    type: headerOf(delivery, 'topic'),
    at: event.maybeMoment('updated_at') ?? event.maybeMoment('created_at'),
    isTest: event.has('test') ? event.flag('test') : null,
    subject: event.id('id'),
    body,
  };
}

function factsOf(type: string, body: Fields, at: number | null): Facts {
  switch (type) {
    case 'orders/paid':
      return [orderSold(body)];
    case 'orders/create':
    case 'orders/updated':
    case 'orders/fulfilled':
      return ignored('told_elsewhere');
    case 'orders/cancelled':
      return ignored('no_change');
    case 'refunds/create':
      return refundFacts(body);
    case 'disputes/create':
    case 'disputes/update':
      return disputeFacts(body, at);
    case 'customers/create':
    case 'customers/update': {
      const [email, language] = [body.email('email'), body.language('locale')];
      return [{ fact: 'customer', customer: body.id('id'), email, language, asOf: body.moment('updated_at') }];
    }
    default:
      return ignored('unused_type');
  }
}

function orderSold(order: Fields): Sold {
  const id = order.id('id');
  const currency = order.currency('currency');
  return {
    fact: 'sold',
    order: id,
    references: referencesOf({ order: id, session: order.maybeText('checkout_token') }),
    email: order.email('email') ?? order.email('contact_email'),
    customer: order.maybeIdOf('customer'),
    language: order.language('customer_locale'),
    lines: order.list('line_items').map((item) => soldLine(item, currency)),
    total: { amount: minorUnitsOf(order.decimal('total_price'), currency), currency },
    subscription: null,
    at: order.maybeMoment('processed_at') ?? order.moment('created_at'),
  };
}

function soldLine(item: Fields, currency: string): SoldLine {
  const quantity = item.whole('quantity');
  const discount = item.has('total_discount') ? minorUnitsOf(item.decimal('total_discount'), currency) : 0;
  return {
    line: item.id('id'),
    names: namesOf({
      variant: item.maybeId('variant_id'),
      sku: item.maybeText('sku'),
      product: item.maybeId('product_id'),
    }),
    quantity,
    amount: minorUnitsOf(item.decimal('price'), currency) * quantity - discount,
    isRecurring: false,
    period: null,
    countsFor: null,
  };
}

function refundFacts(refund: Fields): Facts {
  const transactions = refund.list('transactions').filter((each) => each.maybeText('kind') === 'refund');
  const certain = transactions.filter((each) => each.maybeText('status') === 'success');
  if (transactions.length > certain.length && certain.length === 0)
    return ignored(
      transactions.some((each) => each.maybeText('status') === 'pending') ? 'refund_pending' : 'refund_refused',
    );
  const currency = certain[0]?.currency('currency') ?? null;
  const lines = refund.list('refund_line_items').map((item) => ({
    line: item.id('line_item_id'),
    quantity: item.whole('quantity'),
  }));
  return [
    {
      fact: 'refunded',
      refund: refund.id('id'),
      of: referencesOf({ order: refund.id('order_id') }),
      amount: certain.reduce((sum, each) => sum + minorUnitsOf(each.decimal('amount'), currency ?? ''), 0),
      refundedInAll: null,
      currency,
      isFull: false,
      takesBack: false,
      lines: lines.length === 0 ? null : lines,
      payment: null,
      at: refund.moment('created_at'),
    },
  ];
}

function disputeFacts(dispute: Fields, at: number | null): Facts {
  const order = dispute.maybeId('order_id');
  const phase = DISPUTES[dispute.text('status')];
  if (phase === undefined || order === null) throw new UnknownShape(order === null ? 'order_id' : 'status');
  const isInquiry = dispute.text('type') === 'inquiry';
  const told = isInquiry ? 'inquiry' : phase;
  const moment = at ?? dispute.moment('initiated_at');
  return [{ fact: 'disputed', dispute: dispute.id('id'), phase: told, of: referencesOf({ order }), at: moment }];
}
