/**
 * FastSpring: the body is signed in base64, and holds several events. It needs webhook expansion, which puts orders,
 * subscriptions and accounts into the events in place of their ids. Its license request asks for keys while an order is
 * fulfilled, signed by an MD5 of its fields.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Fact, Paid, Sold, SoldLine, SubscriptionState } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { minorUnitsOf } from './money.ts';
import { bodyRejection, usable } from './signed.ts';
import type { DeliveredEvent, LicenseRequest, Rejection, Source } from './source.ts';
import { type Facts, ignored, namesOf, readEvents, referencesOf, translate } from './translating.ts';

const STATES: Readonly<Record<string, SubscriptionState>> = {
  trial: 'trial',
  active: 'active',
  overdue: 'pastDue',
  paused: 'paused',
  // Canceled means that the present period is the last one.
  canceled: 'active',
  deactivated: 'ended',
};

/** The source of FastSpring. */
export const fastSpring: Source<'fastspring'> = {
  name: 'fastspring',
  title: 'FastSpring',
  secret: 'typed',
  steps: [
    'In Developer Tools, open Webhooks, then Configuration, and add a webhook with expansion enabled.',
    'Enter {url} as the URL.',
    'Enter {secret} as the HMAC SHA256 secret.',
    'Select order.completed, return.created and the events of subscriptions.',
    'To show keys on receipts, add a fulfillment by remote server request to the same address with /licenses behind it. Give it the parameters reference, product, email and quantity, and enter its private key as the API key of this connector.',
  ],
  matches: ['sku', 'path', 'any'],
  verify: (delivery, secrets) => bodyRejection(delivery, 'x-fs-signature', 'base64', secrets),
  events: (delivery) =>
    readEvents(delivery, (text) => {
      const events = parseJson(text).list('events');
      if (events.length === 0) throw new UnknownShape('events');
      return events.map(eventOf);
    }),
  facts: (event) => translate(event, (body) => factsOf(event.type, body.object('data'), body.milliseconds('created'))),
  lookUps: null,
  licenseRequests: { rejectionOf: licenseRequestRejection, read: readLicenseRequest },
};

function eventOf(event: Fields): DeliveredEvent {
  const data = event.object('data');
  return {
    sellerEventId: event.id('id'),
    type: event.text('type'),
    at: event.milliseconds('created'),
    isTest: !event.flag('live'),
    subject: data.maybeId('id'),
    body: event.json(),
  };
}

function factsOf(type: string, data: Fields, at: number): Facts {
  switch (type) {
    case 'order.completed':
      return [orderSold(data, at)];
    case 'order.failed':
    case 'order.canceled':
    case 'order.payment.pending':
      return ignored('not_paid');
    case 'subscription.charge.completed':
      return chargeFacts(data, at);
    case 'subscription.charge.failed':
    case 'subscription.payment.overdue':
    case 'subscription.payment.reminder':
    case 'subscription.trial.reminder':
      return ignored('told_elsewhere');
    case 'return.created':
      return [returnFact(data, at)];
    case 'account.created':
    case 'account.updated': {
      const contact = data.object('contact');
      const language = data.language('language');
      return [{ fact: 'customer', customer: data.id('id'), email: contact.email('email'), language, asOf: at }];
    }
    case LICENSE_REQUEST:
      return [requestedSale(data, at)];
    default:
      return type.startsWith('subscription.') ? subscriptionFacts(data, at) : ignored('unused_type');
  }
}

function orderSold(order: Fields, at: number): Sold {
  const id = order.id('id');
  const currency = order.currency('currency');
  const items = order.list('items');
  const subscriptions = items.flatMap((item) => item.maybeIdOf('subscription') ?? []);
  return {
    fact: 'sold',
    // License requests of the order name its reference alone.
    order: order.maybeId('reference') ?? id,
    references: [
      ...referencesOf({ order: id }),
      ...referencesOf({ order: order.maybeId('reference') }),
      ...subscriptions.map((subscription) => ({ kind: 'subscription', id: subscription }) as const),
    ],
    email: order.maybeObject('customer')?.email('email') ?? null,
    customer: order.maybeIdOf('account'),
    language: order.language('language'),
    lines: items.map((item, index) => soldLine(item, lineOf(items, index), currency)),
    total: { amount: minorUnitsOf(order.decimal('total'), currency), currency },
    subscription: subscriptions[0] ?? null,
    at,
  };
}

/** One line of an order, as a license request tells it while the order is fulfilled. */
function requestedSale(request: Fields, at: number): Sold {
  const reference = request.text('reference');
  const product = request.text('product');
  return {
    fact: 'sold',
    order: reference,
    isSingleLine: true,
    references: referencesOf({ order: reference }),
    email: request.email('email'),
    customer: null,
    language: request.language('language'),
    lines: [
      {
        line: product,
        names: namesOf({ sku: request.maybeText('sku'), path: product }),
        quantity: request.maybeWhole('quantity') ?? 1,
        amount: null,
        isRecurring: false,
        period: null,
        countsFor: null,
      },
    ],
    total: null,
    subscription: null,
    at,
  };
}

/** Returns name lines by their products, so a line is its product; a second line of one product is numbered. */
function lineOf(items: readonly Fields[], index: number): string {
  const product = items[index]!.text('product');
  const before = items.slice(0, index).filter((item) => item.text('product') === product).length;
  return before === 0 ? product : `${product}#${before + 1}`;
}

function soldLine(item: Fields, line: string, currency: string): SoldLine {
  const subscription = item.maybeObject('subscription');
  const isRecurring = item.has('subscription');
  const amount = minorUnitsOf(item.decimal('subtotal'), currency);
  if (isRecurring && subscription === null) throw new UnknownShape('data.items.subscription: webhook expansion is off');
  return {
    line,
    names: productNames(item),
    quantity: item.whole('quantity'),
    amount,
    isRecurring,
    period: subscription === null ? null : { end: subscription.milliseconds('next'), isTrial: amount === 0 },
    countsFor: null,
  };
}

/** The product stands in an order by its path, and in a subscription whole. */
function productNames(item: Fields) {
  const path = item.maybeObject('product')?.text('product') ?? item.maybeText('product');
  return namesOf({ sku: item.maybeText('sku'), path });
}

function chargeFacts(charge: Fields, at: number): Facts {
  const subscription = charge.maybeObject('subscription');
  if (subscription === null) throw new UnknownShape('data.subscription: webhook expansion is off');
  if (charge.maybeText('status') !== 'successful') return ignored('not_paid');
  const id = subscription.id('id');
  const order = charge.maybeObject('order');
  const references = referencesOf({ order: order?.id('id') ?? charge.maybeId('order') });
  // A change of the plan is charged in part, and pays no further period.
  const isProrated = order?.maybeList('items').some((item) => item.names.some((name) => name.startsWith('prorated')));
  if (isProrated)
    return references.map((reference) => ({ fact: 'linked', reference, to: referencesOf({ subscription: id }) }));
  const paid: Paid = { fact: 'paid', subscription: id, periodEnd: subscription.milliseconds('next'), references, at };
  return [paid];
}

function returnFact(returned: Fields, at: number): Fact {
  const original = returned.object('original');
  const currency = returned.currency('currency');
  return {
    fact: 'refunded',
    refund: returned.id('return'),
    of: referencesOf({ order: original.id('id') }),
    amount: minorUnitsOf(returned.decimal('totalReturn'), currency),
    refundedInAll: null,
    currency,
    isFull: false,
    takesBack: false,
    lines: returned.list('items').map((item) => ({ line: item.text('product'), quantity: item.whole('quantity') })),
    payment: null,
    at,
  };
}

function subscriptionFacts(subscription: Fields, at: number): Facts {
  const state = STATES[subscription.text('state')];
  if (state === undefined) throw new UnknownShape('data.state');
  const ended = subscription.has('deactivationDate') ? subscription.milliseconds('deactivationDate') : null;
  return [
    {
      fact: 'subscription',
      subscription: subscription.id('id'),
      state,
      asOf: at,
      until: state === 'ended' ? ended : null,
      lines: [{ line: null, names: productNames(subscription), quantity: subscription.maybeWhole('quantity') ?? 1 }],
      customer: subscription.maybeIdOf('account'),
    },
  ];
}

/** The type of the event that a license request is stored as. */
const LICENSE_REQUEST = 'license.request';

function readLicenseRequest(form: URLSearchParams, now: number): LicenseRequest | string {
  const fields = Object.fromEntries(form);
  const { reference = '', product = '', email = '', quantity } = fields;
  for (const [name, value] of Object.entries({ reference, product, email })) if (value === '') return name;
  if (quantity !== undefined && !/^[1-9]\d{0,8}$/.test(quantity)) return 'quantity';
  const { sku, language } = fields;
  const data = { reference, product, email, sku, language, quantity: quantity === undefined ? 1 : Number(quantity) };
  const event: DeliveredEvent = {
    sellerEventId: `license:${reference}:${product}`,
    type: LICENSE_REQUEST,
    at: now,
    isTest: null,
    subject: reference,
    body: JSON.stringify({ type: LICENSE_REQUEST, created: now, data }),
  };
  return { order: { kind: 'order', id: reference }, line: product, event };
}

/** The hash of a license request, among its fields. */
const REQUEST_HASH = 'security_request_hash';

/**
 * Checks the hash of a license request: the MD5 of all values in the order of their names, and of the private key.
 *
 * @param privateKeys the live ones of the connector
 */
export function licenseRequestRejection(form: URLSearchParams, privateKeys: readonly string[]): Rejection | null {
  const keys = usable(privateKeys);
  if (keys.length === 0) return 'no_secret';
  const [given, ...further] = form.getAll(REQUEST_HASH);
  if (further.length > 0) return 'signature_repeated';
  if (given === undefined || given === '') return 'signature_missing';
  if (!/^[0-9a-f]{32}$/.test(given)) return 'signature_malformed';
  const values = [...form.entries()]
    .filter(([name]) => name !== REQUEST_HASH)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, value]) => value)
    .join('');
  let matches = false;
  for (const key of keys) {
    const expected = Buffer.from(hash('md5', values + key));
    matches = timingSafeEqual(Buffer.from(given), expected) || matches;
  }
  return matches ? null : 'signature_wrong';
}
