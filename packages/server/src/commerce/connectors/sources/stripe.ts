/**
 * Stripe: `t=,v1=` signatures; sales of Checkout, payment links and subscriptions. Events have the shape of the API
 * version of their endpoint: before 2025-03-31 (basil) an invoice names its payment, later only `invoice_payment.paid`
 * does.
 */
import type { Disputed, Fact, Paid, ProductName, Refunded, Sold, SoldLine, SubscriptionState } from './facts.ts';
import { type Fields, parseJson, UnknownShape } from './fields.ts';
import { ageRejection, anyMatches, hmac, partsOf, soleHeader, usable } from './signed.ts';
import type { DeliveredEvent, Delivery, Known, LookUp, Rejection, Source } from './source.ts';
import { STRIPE_STEPS } from './stripe-steps.ts';
import {
  answerTo,
  bearerRequest,
  type Facts,
  ignored,
  namesOf,
  readEvents,
  readPage,
  referencesOf,
  translate,
} from './translating.ts';

/** Our variantId in the metadata of a price, payment link, session or subscription, which only the vendor can write. */
const VARIANT = 'latchkey_variant';

const STATES: Readonly<Record<string, SubscriptionState>> = {
  trialing: 'trial',
  active: 'active',
  past_due: 'pastDue',
  paused: 'paused',
  unpaid: 'unpaid',
  canceled: 'ended',
};

const TYPES: Readonly<Record<string, (object: Fields, at: number, known: Known) => Facts>> = {
  'checkout.session.completed': sessionFacts,
  'checkout.session.async_payment_succeeded': sessionFacts,
  'checkout.session.async_payment_failed': () => ignored('not_paid'),
  'checkout.session.expired': () => ignored('not_paid'),
  'invoice.paid': invoiceFacts,
  'invoice.payment_succeeded': () => ignored('told_elsewhere'),
  'invoice.payment_failed': () => ignored('told_elsewhere'),
  'invoice_payment.paid': invoicePaymentFacts,
  'payment_intent.succeeded': () => ignored('told_elsewhere'),
  'charge.succeeded': () => ignored('told_elsewhere'),
  'charge.refunded': chargeFacts,
  'refund.failed': failedRefundFacts,
  'charge.refund.updated': refundFacts,
  'refund.updated': refundFacts,
  'refund.created': () => ignored('told_elsewhere'),
  'charge.dispute.created': disputeFacts,
  'charge.dispute.updated': disputeFacts,
  'charge.dispute.funds_withdrawn': disputeFacts,
  'charge.dispute.closed': disputeFacts,
  'customer.created': customerFacts,
  'customer.updated': customerFacts,
  'customer.subscription.created': subscriptionFacts,
  'customer.subscription.updated': subscriptionFacts,
  'customer.subscription.deleted': subscriptionFacts,
  'customer.subscription.paused': subscriptionFacts,
  'customer.subscription.resumed': subscriptionFacts,
};

/** The source of Stripe. */
export const stripe: Source<'stripe'> = {
  name: 'stripe',
  title: 'Stripe',
  secret: 'shown',
  steps: STRIPE_STEPS,
  secretReference: 'session',
  matches: ['price', 'payment_link', 'product', 'any'],
  verify,
  events: (delivery) => readEvents(delivery, (text) => [eventOf(parseJson(text), text)]),
  facts: (event, known) =>
    translate(event, (body) => {
      const translateType = TYPES[event.type];
      if (translateType === undefined) return ignored('unused_type');
      return translateType(body.object('data').object('object'), body.seconds('created'), known);
    }),
  lookUps: {
    origin: 'https://api.stripe.com',
    request: (path, apiKey) => bearerRequest(path, apiKey),
    pathOf: ({ what, id }) =>
      what === 'session_items'
        ? `/v1/checkout/sessions/${encodeURIComponent(id)}/line_items?limit=100`
        : what === 'invoice_lines'
          ? `/v1/invoices/${encodeURIComponent(id)}/lines?limit=100`
          : `/v1/customers/${encodeURIComponent(id)}`,
    catchUp: [{ first: (since) => listPath(since), read: readEventList }],
  },
};

function verify(delivery: Delivery, secrets: readonly string[], now: number): Rejection | null {
  const keys = usable(secrets);
  if (keys.length === 0) return 'no_secret';
  const header = soleHeader(delivery, 'stripe-signature');
  if ('rejection' in header) return header.rejection;
  const [time, ...furtherTimes] = partsOf(header.value, ',', 't');
  const signatures = partsOf(header.value, ',', 'v1');
  if (time === undefined || furtherTimes.length > 0 || signatures.length === 0) return 'signature_malformed';
  // A wrong signature is reported as wrong at any age.
  const age = ageRejection(time, now);
  if (age === 'signature_malformed') return age;
  const expected = keys.map((key) => hmac(key, `${time}.`, delivery.body).toString('hex'));
  return anyMatches(signatures, expected) ? age : 'signature_wrong';
}

function eventOf(event: Fields, body: string): DeliveredEvent {
  return {
    sellerEventId: event.id('id'),
    type: event.text('type'),
    at: event.seconds('created'),
    isTest: !event.flag('livemode'),
    subject: event.object('data').object('object').maybeId('id'),
    body,
  };
}

function sessionFacts(session: Fields, at: number, known: Known): Facts {
  const mode = session.text('mode');
  if (mode === 'setup') return ignored('unused_type');
  const id = session.id('id');
  const references = referencesOf({ session: id });
  const customer = session.maybeIdOf('customer');
  const details = session.maybeObject('customer_details');
  const email = details?.email('email') ?? session.email('customer_email');
  const language = session.language('locale');
  const subscription = session.maybeIdOf('subscription');
  // The first invoice of a subscription tells its sale; it does not name the session.
  if (mode === 'subscription') {
    if (subscription === null) return ignored('not_paid');
    const to = referencesOf({ subscription });
    const facts: Fact[] = references.map((reference) => ({ fact: 'linked', reference, to }));
    if (customer !== null) facts.push({ fact: 'customer', customer, email, language, asOf: at });
    return facts;
  }
  if (session.text('payment_status') === 'unpaid') return ignored('not_paid');
  const names = namesOf({
    [VARIANT]: session.maybeObject('metadata')?.maybeText(VARIANT) ?? null,
    payment_link: session.maybeIdOf('payment_link'),
  });
  const needs: LookUp[] = [];
  const amount = session.maybeWhole('amount_total');
  const lines = names.some(known.isMapped)
    ? [soldLine(id, names, 1, amount)]
    : itemsOf(session, { what: 'session_items', id }, known, needs).map((item) => sessionLine(item, names));
  if (needs.length > 0) return { needs };
  const sold: Sold = {
    fact: 'sold',
    order: id,
    references: [
      ...references,
      ...referencesOf({ order: id, payment: session.maybeIdOf('payment_intent') }),
      ...referencesOf({ invoice: session.maybeIdOf('invoice') }),
    ],
    email,
    customer,
    language,
    lines,
    total: amount === null ? null : { amount, currency: session.currency('currency') },
    subscription: null,
    at,
  };
  return { facts: [sold], needs: addressNeed(email, customer) };
}

/** The items of a session: in the session where its endpoint expands them, else looked up. */
function itemsOf(holder: Fields, need: LookUp, known: Known, needs: LookUp[]): readonly Fields[] {
  const held = holder.maybeObject('line_items') ?? answerTo(known, need);
  if (held === null) {
    needs.push(need);
    return [];
  }
  if (held.flag('has_more')) throw new UnknownShape(`${need.what}.has_more`);
  return held.list('data');
}

function sessionLine(item: Fields, others: readonly ProductName[]): SoldLine {
  const names = [...others, ...priceNames(item.object('price'))];
  return soldLine(item.id('id'), names, item.maybeWhole('quantity') ?? 1, item.maybeWhole('amount_total'));
}

function soldLine(line: string, names: readonly ProductName[], quantity: number, amount: number | null): SoldLine {
  return { line, names, quantity, amount, isRecurring: false, period: null, countsFor: null };
}

function priceNames(price: Fields): readonly ProductName[] {
  return namesOf({
    [VARIANT]: price.maybeObject('metadata')?.maybeText(VARIANT) ?? null,
    price: price.id('id'),
    product: price.maybeIdOf('product'),
  });
}

/** The address of a sale without one is read from its customer. */
function addressNeed(email: string | null, customer: string | null): LookUp[] {
  return email === null && customer !== null ? [{ what: 'customer', id: customer }] : [];
}

function invoiceFacts(invoice: Fields, at: number, known: Known): Facts {
  const id = invoice.id('id');
  const details = invoice.maybeObject('parent')?.maybeObject('subscription_details') ?? null;
  const subscription = details?.maybeIdOf('subscription') ?? invoice.maybeIdOf('subscription');
  const payment = invoice.maybeIdOf('payment_intent');
  const references = referencesOf({ invoice: id, payment, charge: invoice.maybeIdOf('charge') });
  const isFirst = invoice.maybeText('billing_reason') === 'subscription_create';
  // An invoice that Checkout made waits for its session; one that the vendor sent is a sale of its own.
  const isSent = invoice.maybeText('collection_method') === 'send_invoice';
  if (subscription === null && !isSent) return [linkedTo(referencesOf({ invoice: id, payment }), { invoice: id })];

  const needs: LookUp[] = [];
  const held = invoice.object('lines');
  const all = held.flag('has_more') ? itemsOf(invoice, { what: 'invoice_lines', id }, known, needs) : held.list('data');
  if (needs.length > 0) return { needs };
  const lines = all.filter((line) => !isProration(line));
  if (subscription !== null && !isFirst) {
    const periodEnd = Math.max(
      0,
      ...lines.filter(subscriptionItemOf).map((line) => line.object('period').seconds('end')),
    );
    if (periodEnd === 0) return [linkedTo(references, { subscription })];
    const paid: Paid = { fact: 'paid', subscription, periodEnd, references, at };
    return [paid];
  }
  const metadata =
    details?.maybeObject('metadata') ?? invoice.maybeObject('subscription_details')?.maybeObject('metadata');
  const others = namesOf({ [VARIANT]: metadata?.maybeText(VARIANT) ?? null });
  const email = invoice.email('customer_email');
  const customer = invoice.maybeIdOf('customer');
  const order = subscription ?? id;
  const sold: Sold = {
    fact: 'sold',
    order,
    references: [...referencesOf({ order, subscription }), ...references],
    email,
    customer,
    language: null,
    lines: lines.map((line) => invoiceLine(line, others)),
    total: { amount: invoice.whole('total'), currency: invoice.currency('currency') },
    subscription,
    at,
  };
  return { facts: [sold], needs: addressNeed(email, customer) };
}

function linkedTo(references: ReturnType<typeof referencesOf>, to: Parameters<typeof referencesOf>[0]): Fact {
  const [reference] = references;
  return { fact: 'linked', reference: reference!, to: referencesOf(to) };
}

function itemOf(line: Fields): Fields | null {
  const parent = line.maybeObject('parent');
  return parent?.maybeObject('subscription_item_details') ?? parent?.maybeObject('invoice_item_details') ?? null;
}

function isProration(line: Fields): boolean {
  return line.flag('proration') || (itemOf(line)?.flag('proration') ?? false);
}

function subscriptionItemOf(line: Fields): string | null {
  return itemOf(line)?.maybeIdOf('subscription_item') ?? line.maybeIdOf('subscription_item');
}

function invoiceLine(line: Fields, others: readonly ProductName[]): SoldLine {
  const priced = line.maybeObject('pricing')?.maybeObject('price_details');
  const names = priced
    ? namesOf({ price: priced.maybeIdOf('price'), product: priced.maybeIdOf('product') })
    : priceNames(line.object('price'));
  const item = subscriptionItemOf(line);
  const amount = line.whole('amount');
  return {
    line: item ?? line.id('id'),
    names: item === null ? names : [...others, ...names],
    quantity: line.maybeWhole('quantity') ?? 1,
    amount,
    isRecurring: item !== null,
    period: item === null ? null : { end: line.object('period').seconds('end'), isTrial: amount === 0 },
    countsFor: null,
  };
}

function invoicePaymentFacts(payment: Fields): Facts {
  const by = payment.object('payment');
  const ids = { payment: by.maybeIdOf('payment_intent'), charge: by.maybeIdOf('charge') };
  const to = referencesOf({ invoice: payment.maybeIdOf('invoice') });
  return referencesOf(ids).map((reference) => ({ fact: 'linked', reference, to }));
}

function chargeFacts(charge: Fields, at: number): Facts {
  const id = charge.id('id');
  const refundedInAll = charge.whole('amount_refunded');
  const refunded: Refunded = {
    fact: 'refunded',
    refund: `${id}:${refundedInAll}`,
    of: chargeReferences(charge, id),
    amount: null,
    refundedInAll,
    currency: charge.currency('currency'),
    isFull: charge.flag('refunded'),
    takesBack: false,
    lines: null,
    payment: null,
    at,
  };
  return [refunded];
}

function chargeReferences(holder: Fields, charge: string | null) {
  return referencesOf({ charge, payment: holder.maybeIdOf('payment_intent'), invoice: holder.maybeIdOf('invoice') });
}

function refundFacts(refund: Fields, at: number): Facts {
  return refund.maybeText('status') === 'failed' ? failedRefundFacts(refund, at) : ignored('told_elsewhere');
}

function failedRefundFacts(refund: Fields, at: number): Facts {
  const of = chargeReferences(refund, refund.maybeIdOf('charge'));
  return [{ fact: 'refundUndone', refund: refund.id('id'), of, amount: refund.whole('amount'), at }];
}

function disputeFacts(dispute: Fields, at: number): Facts {
  const id = dispute.id('id');
  const of = chargeReferences(dispute, dispute.maybeIdOf('charge'));
  const tell = (phase: Disputed['phase']): Facts => [{ fact: 'disputed', dispute: id, phase, of, at }];
  switch (dispute.text('status')) {
    case 'warning_needs_response':
    case 'warning_under_review':
      return tell('inquiry');
    case 'warning_closed':
      return ignored('no_change');
    case 'needs_response':
    case 'under_review':
      return tell('opened');
    case 'won':
      return tell('won');
    case 'lost':
      return tell('lost');
    case 'prevented': {
      // The money went back before the bank asked for it.
      const amount = dispute.whole('amount');
      const currency = dispute.currency('currency');
      const whole = { refundedInAll: null, isFull: false, takesBack: true, lines: null, payment: null } as const;
      return [{ fact: 'refunded', refund: id, of, amount, currency, at, ...whole }];
    }
    default:
      throw new UnknownShape('data.object.status');
  }
}

function customerFacts(customer: Fields, at: number): Facts {
  const language = customer.firstLanguage('preferred_locales');
  return [{ fact: 'customer', customer: customer.id('id'), email: customer.email('email'), language, asOf: at }];
}

function subscriptionFacts(subscription: Fields, at: number): Facts {
  const status = subscription.text('status');
  if (status === 'incomplete' || status === 'incomplete_expired') return ignored('not_paid');
  const state = STATES[status];
  if (state === undefined) throw new UnknownShape('data.object.status');
  const others = namesOf({ [VARIANT]: subscription.maybeObject('metadata')?.maybeText(VARIANT) ?? null });
  return [
    {
      fact: 'subscription',
      subscription: subscription.id('id'),
      state,
      asOf: at,
      until:
        state === 'trial'
          ? subscription.maybeSeconds('trial_end')
          : state === 'ended'
            ? (subscription.maybeSeconds('ended_at') ?? subscription.maybeSeconds('canceled_at'))
            : null,
      lines: subscription
        .object('items')
        .list('data')
        .map((item) => ({
          line: item.id('id'),
          names: [...others, ...priceNames(item.object('price'))],
          quantity: item.maybeWhole('quantity') ?? 1,
        })),
      customer: subscription.maybeIdOf('customer'),
    },
  ];
}

function listPath(since: number, after?: string): string {
  const from = `/v1/events?limit=100&created[gte]=${Math.floor(since / 1000)}`;
  return after === undefined ? from : `${from}&starting_after=${encodeURIComponent(after)}`;
}

function readEventList(value: unknown, since: number) {
  return readPage(value, (page) => {
    const listed = page.list('data').map((event) => eventOf(event, event.json()));
    const last = listed.at(-1);
    const next = page.flag('has_more') && last !== undefined ? listPath(since, last.sellerEventId) : null;
    return { events: listed, next };
  });
}
