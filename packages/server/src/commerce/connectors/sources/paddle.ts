/**
 * Paddle Billing: `ts=;h1=` signatures; transactions, subscriptions and adjustments. Transactions have no address, so a
 * sale needs that of its customer. The buyers' own fields (`custom_data`) are not read.
 */
import type { Fact, Paid, ProductName, Sold, SoldLine, SubscriptionState } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { ageRejection, anyMatches, hmac, partsOf, soleHeader, usable } from './signed.ts';
import type { DeliveredEvent, Delivery, Known, Rejection, Source } from './source.ts';
import {
  answerTo,
  bearerRequest,
  type Facts,
  ignored,
  namesOf,
  readEvents,
  referencesOf,
  translate,
} from './translating.ts';

/** Events of Paddle's simulator begin with this, and have a random id for each delivery. */
const SIMULATED = 'ntfsimevt_';

const STATES: Readonly<Record<string, SubscriptionState>> = {
  trialing: 'trial',
  active: 'active',
  past_due: 'pastDue',
  paused: 'paused',
  canceled: 'ended',
};

/** The source of Paddle Billing. */
export const paddle: Source<'paddle'> = {
  name: 'paddle',
  title: 'Paddle',
  secret: 'shown',
  steps: [
    'In Developer tools, open Notifications and add a destination of the type URL.',
    'Enter {url} as the URL.',
    'Select transaction.completed, adjustment.created, adjustment.updated, customer.created, customer.updated and the events of subscriptions.',
    'Copy the secret key of the destination into this connector as its signing secret.',
    'Make an API key that reads customers, and enter it as the API key of this connector. Without it, a sale waits for the event customer.created.',
  ],
  secretReference: 'order',
  matches: ['price', 'product', 'any'],
  verify,
  events: (delivery) => readEvents(delivery, (text) => [eventOf(parseJson(text), text)]),
  facts: (event, known) =>
    translate(event, (body) => factsOf(event.type, body.object('data'), body.moment('occurred_at'), known)),
  lookUps: {
    origin: 'https://api.paddle.com',
    request: (path, apiKey) => bearerRequest(path, apiKey),
    pathOf: ({ id }) => `/customers/${encodeURIComponent(id)}`,
    catchUp: [],
  },
};

function verify(delivery: Delivery, secrets: readonly string[], now: number): Rejection | null {
  const keys = usable(secrets);
  if (keys.length === 0) return 'no_secret';
  const header = soleHeader(delivery, 'paddle-signature');
  if ('rejection' in header) return header.rejection;
  const [time, ...furtherTimes] = partsOf(header.value, ';', 'ts');
  const signatures = partsOf(header.value, ';', 'h1');
  if (time === undefined || furtherTimes.length > 0 || signatures.length === 0) return 'signature_malformed';
  const age = ageRejection(time, now);
  if (age === 'signature_malformed') return age;
  const expected = keys.map((key) => hmac(key, `${time}:`, delivery.body).toString('hex'));
  return anyMatches(signatures, expected) ? age : 'signature_wrong';
}

function eventOf(event: Fields, body: string): DeliveredEvent {
  const sellerEventId = event.id('event_id');
  return {
    sellerEventId,
    type: event.text('event_type'),
    at: event.moment('occurred_at'),
    // The sandbox is an account of its own and does not say so.
    isTest: sellerEventId.startsWith(SIMULATED) ? true : null,
    subject: event.object('data').maybeId('id'),
    body,
  };
}

function factsOf(type: string, data: Fields, at: number, known: Known): Facts {
  const [kind = ''] = type.split('.');
  if (kind === 'transaction') {
    if (type === 'transaction.completed') return transactionFacts(data, at, known);
    return ignored(type === 'transaction.paid' || type === 'transaction.updated' ? 'told_elsewhere' : 'not_paid');
  }
  if (kind === 'adjustment') return adjustmentFacts(data, at);
  if (kind === 'subscription') return subscriptionFacts(data, at);
  if (kind === 'customer') return [customerFact(data, at)];
  return ignored('unused_type');
}

function customerFact(customer: Fields, asOf: number): Fact {
  const [email, language] = [customer.email('email'), customer.language('locale')];
  return { fact: 'customer', customer: customer.id('id'), email, language, asOf };
}

function transactionFacts(transaction: Fields, at: number, known: Known): Facts {
  const id = transaction.id('id');
  const subscription = transaction.maybeIdOf('subscription_id');
  const origin = transaction.text('origin');
  const period = transaction.maybeObject('billing_period');
  const references = referencesOf({ order: id, invoice: transaction.maybeId('invoice_id') });
  if (origin === 'subscription_payment_method_change') return ignored('no_change');
  if (subscription !== null && (origin === 'subscription_recurring' || origin === 'subscription_update')) {
    if (period === null) return [{ fact: 'linked', reference: references[0]!, to: referencesOf({ subscription }) }];
    const paid: Paid = { fact: 'paid', subscription, periodEnd: period.moment('ends_at'), references, at };
    return [paid];
  }
  const customer = transaction.maybeIdOf('customer_id');
  const need = customer === null ? null : ({ what: 'customer', id: customer } as const);
  // An answer of the API holds the customer as `data`.
  const answer = need === null ? null : (answerTo(known, need)?.object('data') ?? null);
  const totals = transaction.object('details').object('totals');
  const items = new Map(transaction.list('items').map((item) => [item.object('price').id('id'), item]));
  const sold: Sold = {
    fact: 'sold',
    order: id,
    references: [...references, ...referencesOf({ subscription })],
    email: answer?.email('email') ?? null,
    customer,
    language: answer?.language('locale') ?? null,
    lines: transaction
      .object('details')
      .list('line_items')
      .map((line) => soldLine(line, items.get(line.id('price_id')) ?? null, period)),
    total: { amount: totals.whole('grand_total'), currency: transaction.currency('currency_code') },
    subscription,
    at,
  };
  return { facts: [sold], needs: need === null || answer !== null ? [] : [need] };
}

function soldLine(line: Fields, item: Fields | null, period: Fields | null): SoldLine {
  const price = item?.object('price') ?? null;
  const isRecurring = period !== null && (price === null || price.maybeObject('billing_cycle') !== null);
  const isTrial = price?.maybeObject('trial_period') != null && line.object('totals').whole('total') === 0;
  return {
    line: line.id('id'),
    names: priceNames(line.id('price_id'), price?.maybeId('product_id') ?? line.object('product').maybeId('id')),
    quantity: line.whole('quantity'),
    amount: line.object('totals').whole('total'),
    isRecurring,
    period: isRecurring && period !== null ? { end: period.moment('ends_at'), isTrial } : null,
    countsFor: null,
  };
}

function priceNames(price: string, product: string | null): readonly ProductName[] {
  return namesOf({ price, product });
}

function adjustmentFacts(adjustment: Fields, at: number): Facts {
  const id = adjustment.id('id');
  const action = adjustment.text('action');
  const status = adjustment.text('status');
  const of = referencesOf({ order: adjustment.id('transaction_id') });
  if (action === 'credit' || action === 'credit_reverse') return ignored('no_change');
  if (status === 'pending_approval') return ignored('refund_pending');
  if (status === 'rejected') return ignored('refund_refused');
  const totals = adjustment.object('totals');
  const amount = totals.whole('total');
  switch (action) {
    case 'refund':
      if (status === 'reversed') return [{ fact: 'refundUndone', refund: id, of, amount, at }];
      return [
        {
          fact: 'refunded',
          refund: id,
          of,
          amount,
          refundedInAll: null,
          currency: totals.currency('currency_code'),
          isFull: adjustment.maybeText('type') === 'full',
          takesBack: false,
          lines: refundedLines(adjustment),
          payment: null,
          at,
        },
      ];
    case 'chargeback':
      return [{ fact: 'disputed', dispute: id, phase: 'opened', of, at }];
    case 'chargeback_reverse':
      return [{ fact: 'disputed', dispute: id, phase: 'won', of, at }];
    case 'chargeback_warning':
      return [{ fact: 'disputed', dispute: id, phase: 'inquiry', of, at }];
    case 'chargeback_warning_reverse':
      return ignored('no_change');
    default:
      throw new UnknownShape('data.action');
  }
}

/** The lines that were refunded whole; null if the refund is of a part of their money only. */
function refundedLines(adjustment: Fields) {
  const whole = adjustment.maybeList('items').filter((item) => item.maybeText('type') === 'full');
  return whole.length === 0 ? null : whole.map((item) => ({ line: item.id('item_id'), quantity: null }));
}

function subscriptionFacts(subscription: Fields, at: number): Facts {
  const id = subscription.id('id');
  const state = STATES[subscription.text('status')];
  if (state === undefined) throw new UnknownShape('data.status');
  const facts: Fact[] = [
    {
      fact: 'subscription',
      subscription: id,
      state,
      asOf: at,
      until: untilOf(subscription, state),
      lines: subscription.list('items').map((item) => {
        const price = item.object('price');
        const names = priceNames(price.id('id'), price.maybeId('product_id'));
        return { line: null, names, quantity: item.whole('quantity') };
      }),
      customer: subscription.maybeIdOf('customer_id'),
    },
  ];
  // Only subscription.created names its transaction.
  const order = subscription.maybeId('transaction_id');
  if (order !== null)
    facts.push({ fact: 'linked', reference: { kind: 'subscription', id }, to: referencesOf({ order }) });
  return facts;
}

function untilOf(subscription: Fields, state: SubscriptionState): number | null {
  if (state === 'ended') return subscription.maybeMoment('canceled_at');
  if (state === 'paused') return subscription.maybeMoment('paused_at');
  return state === 'trial' ? subscription.maybeMoment('next_billed_at') : null;
}
