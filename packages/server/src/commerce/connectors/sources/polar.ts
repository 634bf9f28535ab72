/**
 * Polar: Standard Webhooks, with two kinds of keys: the text of the secret for endpoints made earlier, and the bytes
 * behind `whsec_` for those made later. There is no event for a dispute: a refund tells it.
 */
import type { DisputePhase, Fact, Paid, Refunded, Sold, SubscriptionState } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { ageRejection, anyMatches, hmac, soleHeader, usable } from './signed.ts';
import type { DeliveredEvent, Delivery, Rejection, Source } from './source.ts';
import { type Facts, ignored, namesOf, readEvents, referencesOf, translate } from './translating.ts';

const BYTES_PREFIX = 'whsec_';

const STATES: Readonly<Record<string, SubscriptionState>> = {
  trialing: 'trial',
  active: 'active',
  past_due: 'pastDue',
  paused: 'paused',
  unpaid: 'unpaid',
  canceled: 'ended',
};

const DISPUTES: Readonly<Record<string, DisputePhase>> = {
  early_warning: 'inquiry',
  prevented: 'opened',
  needs_response: 'opened',
  under_review: 'opened',
  lost: 'lost',
  won: 'won',
};

/** The source of Polar. */
export const polar: Source<'polar'> = {
  name: 'polar',
  title: 'Polar',
  secret: 'shown',
  steps: [
    'In Settings, open Webhooks and add an endpoint with the format Raw.',
    'Enter {url} as the URL.',
    'Select order.paid, order.refunded, refund.created, refund.updated and the events of subscriptions and customers.',
    'Generate the secret, and copy it into this connector as its signing secret.',
  ],
  secretReference: 'session',
  matches: ['price', 'product', 'any'],
  verify,
  events: (delivery) => readEvents(delivery, (text) => [eventOf(delivery, parseJson(text), text)]),
  facts: (event) => translate(event, (body) => factsOf(event.type, body.object('data'), body)),
  lookUps: null,
};

function verify(delivery: Delivery, secrets: readonly string[], now: number): Rejection | null {
  const keys = usable(secrets).flatMap(keysOf);
  if (keys.length === 0) return 'no_secret';
  const [id, time, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    soleHeader(delivery, name),
  ) as [SoleHeader, SoleHeader, SoleHeader];
  if ('rejection' in signature) return signature.rejection;
  if ('rejection' in id) return id.rejection;
  if ('rejection' in time) return time.rejection;
  const given = signature.value.split(' ').filter((part) => part.startsWith('v1,'));
  const age = ageRejection(time.value, now);
  if (given.length === 0 || age === 'signature_malformed') return 'signature_malformed';
  const expected = keys.map((key) => `v1,${hmac(key, `${id.value}.${time.value}.`, delivery.body).toString('base64')}`);
  return anyMatches(given, expected) ? age : 'signature_wrong';
}

type SoleHeader = ReturnType<typeof soleHeader>;

/** Both keys that a secret may stand for: nothing in it says when it was made. */
function keysOf(secret: string): readonly (string | Uint8Array)[] {
  const written = secret.startsWith(BYTES_PREFIX) ? secret.slice(BYTES_PREFIX.length) : secret;
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(written);
  return written !== '' && isBase64 ? [secret, Buffer.from(written, 'base64')] : [secret];
}

function eventOf(delivery: Delivery, event: Fields, body: string): DeliveredEvent {
  const id = delivery.headers['webhook-id']?.[0] ?? '';
  if (id === '' || id.length > 255) throw new UnknownShape('webhook-id');
  return {
    sellerEventId: id,
    type: event.text('type'),
    at: event.maybeMoment('timestamp'),
    // The sandbox is a server of its own and does not say so.
    isTest: null,
    subject: event.object('data').maybeId('id'),
    body,
  };
}

function factsOf(type: string, data: Fields, event: Fields): Facts {
  const [kind] = type.split('.');
  if (kind === 'order') return orderFacts(type, data);
  if (kind === 'refund') return refundFacts(data);
  if (kind === 'subscription') return subscriptionFacts(data, event.maybeMoment('timestamp'));
  if (type === 'customer.created' || type === 'customer.updated') {
    const asOf = data.maybeMoment('modified_at') ?? data.moment('created_at');
    return [{ fact: 'customer', customer: data.id('id'), email: data.email('email'), language: null, asOf }];
  }
  return ignored('unused_type');
}

function orderFacts(type: string, order: Fields): Facts {
  const id = order.id('id');
  if (type === 'order.refunded') return [orderRefunded(id, order)];
  if (type !== 'order.paid') return ignored('told_elsewhere');
  const at = order.moment('created_at');
  const subscription = order.maybeId('subscription_id');
  const references = referencesOf({ order: id });
  const period = order.maybeObject('subscription');
  switch (order.text('billing_reason')) {
    case 'purchase':
    case 'subscription_create':
      return [orderSold(id, order, subscription, period)];
    case 'subscription_cycle':
    case 'subscription_update': {
      if (subscription === null) throw new UnknownShape('data.subscription_id');
      const isOfPeriod = order.list('items').some((item) => !item.flag('proration'));
      if (!isOfPeriod || period === null)
        return [{ fact: 'linked', reference: references[0]!, to: referencesOf({ subscription }) }];
      const periodEnd = period.moment('current_period_end');
      const paid: Paid = { fact: 'paid', subscription, periodEnd, references, at };
      return [paid];
    }
    default:
      throw new UnknownShape('data.billing_reason');
  }
}

function orderSold(id: string, order: Fields, subscription: string | null, period: Fields | null): Sold {
  // An order is of one product; its items are parts of the price, such as a fee and seats.
  const product = order.maybeId('product_id');
  const prices = order.list('items').flatMap((item) => item.maybeId('product_price_id') ?? []);
  const customer = order.object('customer');
  const amount = order.whole('total_amount');
  return {
    fact: 'sold',
    order: id,
    references: referencesOf({ order: id, session: order.maybeId('checkout_id'), subscription }),
    email: customer.email('email'),
    customer: order.maybeId('customer_id'),
    language: customer.language('locale'),
    lines: [
      {
        line: product ?? id,
        names: [...prices.flatMap((price) => namesOf({ price })), ...namesOf({ product })],
        quantity: order.maybeWhole('seats') ?? 1,
        amount: order.maybeWhole('net_amount') ?? amount,
        isRecurring: subscription !== null,
        period: period === null ? null : { end: period.moment('current_period_end'), isTrial: amount === 0 },
        countsFor: null,
      },
    ],
    total: { amount, currency: order.currency('currency') },
    subscription,
    at: order.moment('created_at'),
  };
}

function orderRefunded(id: string, order: Fields): Fact {
  const refundedInAll = order.whole('refunded_amount') + (order.maybeWhole('refunded_tax_amount') ?? 0);
  const reason = order.maybeText('billing_reason');
  const refunded: Refunded = {
    fact: 'refunded',
    refund: `${id}:${refundedInAll}`,
    of: referencesOf({ order: id }),
    amount: null,
    refundedInAll,
    currency: order.currency('currency'),
    isFull: order.text('status') === 'refunded',
    takesBack: false,
    lines: null,
    payment: paymentOf(reason),
    at: order.maybeMoment('modified_at') ?? order.moment('created_at'),
  };
  return refunded;
}

function paymentOf(reason: string | null): Refunded['payment'] {
  if (reason === 'subscription_create') return 'first';
  return reason === 'subscription_cycle' || reason === 'subscription_update' ? 'later' : null;
}

function refundFacts(refund: Fields): Facts {
  const id = refund.id('id');
  const of = referencesOf({ order: refund.id('order_id') });
  const at = refund.maybeMoment('modified_at') ?? refund.moment('created_at');
  const amount = refund.whole('amount') + (refund.maybeWhole('tax_amount') ?? 0);
  const dispute = refund.maybeObject('dispute');
  if (dispute !== null) {
    const phase = DISPUTES[dispute.text('status')];
    if (phase === undefined) throw new UnknownShape('data.dispute.status');
    return [{ fact: 'disputed', dispute: dispute.id('id'), phase, of, at }];
  }
  switch (refund.text('status')) {
    case 'pending':
      return ignored('refund_pending');
    // Polar tells a refund with the order only after it succeeded.
    case 'failed':
    case 'canceled':
      return ignored('refund_refused');
    default:
      break;
  }
  // The order tells the sum of its refunds; only the refund tells that the goods are taken back.
  if (!refund.flag('revoke_benefits')) return ignored('told_elsewhere');
  const currency = refund.currency('currency');
  const rest = { refundedInAll: null, isFull: false, takesBack: true, lines: null, payment: null } as const;
  return [{ fact: 'refunded', refund: id, of, amount, currency, at, ...rest }];
}

function subscriptionFacts(subscription: Fields, at: number | null): Facts {
  const status = subscription.text('status');
  if (status === 'incomplete' || status === 'incomplete_expired') return ignored('not_paid');
  const state = STATES[status];
  if (state === undefined) throw new UnknownShape('data.status');
  const prices = subscription.maybeList('prices').flatMap((price) => namesOf({ price: price.maybeId('id') }));
  const product = subscription.maybeId('product_id');
  const ended = subscription.maybeMoment('ended_at');
  return [
    {
      fact: 'subscription',
      subscription: subscription.id('id'),
      state,
      asOf: at ?? subscription.maybeMoment('modified_at') ?? subscription.moment('created_at'),
      until: state === 'ended' ? ended : state === 'trial' ? subscription.maybeMoment('trial_end') : null,
      lines: [
        { line: null, names: [...prices, ...namesOf({ product })], quantity: subscription.maybeWhole('seats') ?? 1 },
      ],
      customer: subscription.maybeId('customer_id'),
    },
  ];
}
