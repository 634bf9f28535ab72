import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripe } from '../../../../src/commerce/connectors/sources/stripe.ts';
import { eventWith, factsOf, NOTHING_KNOWN, ofKind } from './told-facts.ts';

const at = 1_800_000_000;
const event = (object: object) => ({ id: 'evt_1', created: at, livemode: true, data: { object } });
const facts = (type: string, object: object) => factsOf(stripe, type, event(object));
const because = (type: string, object: object) => ofKind(facts(type, object), 'ignored')[0]?.because;

const session = {
  id: 'cs_1',
  mode: 'payment',
  payment_status: 'paid',
  payment_intent: 'pi_1',
  payment_link: 'plink_1',
  customer: 'cus_1',
  customer_details: { email: ' Zoe@Example.com ' },
  metadata: {},
  amount_total: 500,
  currency: 'jpy',
};
const invoice = {
  id: 'in_1',
  billing_reason: 'subscription_cycle',
  subscription: 'sub_1',
  customer_email: 'zoe@example.com',
  total: 900,
  currency: 'usd',
  period_end: at + 1,
  lines: { has_more: false, data: [] as object[] },
};
const line = (end: number, more: object = {}) => ({
  id: `il_${end}`,
  amount: 900,
  quantity: 1,
  period: { end },
  price: { id: 'price_1', product: 'prod_1' },
  subscription_item: 'si_1',
  ...more,
});

describe('a session of Stripe', () => {
  it('is no sale before it is paid', () => {
    assert.equal(because('checkout.session.completed', { ...session, payment_status: 'unpaid' }), 'not_paid');
    assert.equal(because('checkout.session.async_payment_failed', session), 'not_paid');
    assert.equal(because('checkout.session.completed', { ...session, mode: 'setup' }), 'unused_type');
  });

  it('is a sale once a late payment came, or if nothing was to be paid', () => {
    const known = { ...NOTHING_KNOWN, isMapped: () => true };
    for (const [type, status] of [
      ['checkout.session.async_payment_succeeded', 'paid'],
      ['checkout.session.completed', 'no_payment_required'],
    ] as const) {
      const [sold] = ofKind(factsOf(stripe, type, event({ ...session, payment_status: status }), known), 'sold');
      assert.equal(sold?.email, 'Zoe@Example.com');
      assert.deepEqual(sold.total, { amount: 500, currency: 'JPY' });
    }
  });

  it('asks for its items only where neither payment link nor metadata is mapped', () => {
    const type = 'checkout.session.completed';
    const asked = stripe.facts(eventWith(type, event(session)), NOTHING_KNOWN);
    assert.deepEqual(asked, { facts: [], needs: [{ what: 'session_items', id: 'cs_1' }] });
    const isLink = { ...NOTHING_KNOWN, isMapped: ({ by }: { by: string }) => by === 'payment_link' };
    const [sold] = ofKind(factsOf(stripe, type, event(session), isLink), 'sold');
    assert.deepEqual(sold?.lines[0]?.names, [{ by: 'payment_link', id: 'plink_1' }]);
    const marked = { ...session, metadata: { latchkey_variant: 'studio-pro' } };
    const isVariant = { ...NOTHING_KNOWN, isMapped: ({ by }: { by: string }) => by === 'latchkey_variant' };
    const [other] = ofKind(factsOf(stripe, type, event(marked), isVariant), 'sold');
    assert.deepEqual(other?.lines[0]?.names[0], { by: 'latchkey_variant', id: 'studio-pro' });
  });

  it('without an address needs that of its customer', () => {
    const known = { ...NOTHING_KNOWN, isMapped: () => true };
    const nameless = event({ ...session, customer_details: { email: null } });
    const translated = stripe.facts(eventWith('checkout.session.completed', nameless), known);
    assert.ok('needs' in translated);
    assert.deepEqual(translated.needs, [{ what: 'customer', id: 'cus_1' }]);
  });

  it('of a cart is a sale of each line with its quantity', () => {
    const items = [
      { id: 'li_1', price: { id: 'price_1', product: 'prod_1' }, quantity: 0, amount_total: 0 },
      { id: 'li_2', price: { id: 'price_2', product: 'prod_2' }, quantity: 10_000_000, amount_total: 100 },
    ];
    const known = { ...NOTHING_KNOWN, lookedUp: () => ({ data: items, has_more: false }) };
    const [sold] = ofKind(factsOf(stripe, 'checkout.session.completed', event(session), known), 'sold');
    assert.deepEqual(
      sold?.lines.map(({ quantity }) => quantity),
      [0, 10_000_000],
    );
  });
});

describe('an invoice of Stripe', () => {
  const paid = (data: readonly object[], more: object = {}) =>
    facts('invoice.paid', { ...invoice, ...more, lines: { has_more: false, data } });

  it('pays until the latest end of its lines, without prorations and without its own period', () => {
    const data = [line(at + 50), line(at + 100), line(at + 900, { proration: true })];
    assert.deepEqual(
      ofKind(paid(data), 'paid').map(({ periodEnd }) => periodEnd),
      [(at + 100) * 1000],
    );
  });

  it('of prorations alone pays no period, and its refund still leads to the subscription', () => {
    const [linked] = paid([line(at + 900, { proration: true })]);
    assert.deepEqual(linked, {
      fact: 'linked',
      reference: { kind: 'invoice', id: 'in_1' },
      to: [{ kind: 'subscription', id: 'sub_1' }],
    });
  });

  it('of a subscription with a thing that is sold once is a sale of both, and only one has a period', () => {
    const once = line(at + 100, {
      id: 'il_once',
      subscription_item: null,
      price: { id: 'price_2', product: 'prod_2' },
    });
    const [sold] = ofKind(paid([line(at + 100), once], { billing_reason: 'subscription_create' }), 'sold');
    assert.equal(sold?.order, 'sub_1');
    assert.deepEqual(
      sold.lines.map(({ line: id, isRecurring, period }) => [id, isRecurring, period?.end]),
      [
        ['si_1', true, (at + 100) * 1000],
        ['il_once', false, undefined],
      ],
    );
  });

  it('for nothing begins a trial', () => {
    const [sold] = ofKind(paid([line(at + 100, { amount: 0 })], { billing_reason: 'subscription_create' }), 'sold');
    assert.equal(sold?.lines[0]?.period?.isTrial, true);
  });

  it('without a subscription waits for its session, unless the vendor sent it', () => {
    const own = { ...invoice, subscription: null, billing_reason: 'manual' };
    const [linked] = facts('invoice.paid', { ...own, collection_method: 'charge_automatically' });
    assert.deepEqual(linked, {
      fact: 'linked',
      reference: { kind: 'invoice', id: 'in_1' },
      to: [{ kind: 'invoice', id: 'in_1' }],
    });
    const data = [line(at, { subscription_item: null })];
    const sent = facts('invoice.paid', { ...own, collection_method: 'send_invoice', lines: { data } });
    assert.equal(ofKind(sent, 'sold')[0]?.order, 'in_1');
  });

  it('with more lines than it tells needs all of them', () => {
    const long = event({ ...invoice, lines: { has_more: true, data: [] } });
    const translated = stripe.facts(eventWith('invoice.paid', long), NOTHING_KNOWN);
    assert.deepEqual(translated, { facts: [], needs: [{ what: 'invoice_lines', id: 'in_1' }] });
  });
});

describe('money that goes back at Stripe', () => {
  const dispute = { id: 'du_1', charge: 'ch_1', payment_intent: 'pi_1', amount: 500, currency: 'usd' };
  const phases = (type: string, status: string) =>
    ofKind(facts(type, { ...dispute, status }), 'disputed').map(({ phase }) => phase);

  it('is known by the charge and the sum, so that each refund counts once', () => {
    const charge = { id: 'ch_1', amount_refunded: 300, currency: 'usd', refunded: false, payment_intent: 'pi_1' };
    const [refunded] = ofKind(facts('charge.refunded', charge), 'refunded');
    assert.equal(refunded?.refund, 'ch_1:300');
    assert.equal(refunded.refundedInAll, 300);
  });

  it('is undone by a refund that failed', () => {
    const refund = { id: 're_1', charge: 'ch_1', payment_intent: 'pi_1', amount: 300, status: 'failed' };
    for (const type of ['refund.failed', 'charge.refund.updated', 'refund.updated'])
      assert.equal(ofKind(facts(type, refund), 'refundUndone')[0]?.refund, 're_1');
    assert.equal(because('refund.updated', { ...refund, status: 'succeeded' }), 'told_elsewhere');
  });

  it('tells an inquiry from a dispute, and an inquiry that became one', () => {
    assert.deepEqual(phases('charge.dispute.created', 'warning_needs_response'), ['inquiry']);
    assert.deepEqual(phases('charge.dispute.updated', 'needs_response'), ['opened']);
    assert.deepEqual(phases('charge.dispute.closed', 'lost'), ['lost']);
    assert.deepEqual(phases('charge.dispute.closed', 'warning_closed'), []);
  });

  it('is a refund where a dispute was prevented', () => {
    const [refunded] = ofKind(facts('charge.dispute.closed', { ...dispute, status: 'prevented' }), 'refunded');
    assert.equal(refunded?.takesBack, true);
    assert.equal(refunded.amount, 500);
  });
});

describe('what the source of Stripe does not know', () => {
  it('is ignored as a type, and named as a field', () => {
    assert.equal(because('radar.early_fraud_warning.created', { id: 'issfr_1' }), 'unused_type');
    const broken = (type: string, object: object) => stripe.facts(eventWith(type, event(object)), NOTHING_KNOWN);
    assert.deepEqual(broken('charge.refunded', { id: 'ch_1' }), { unknownShape: 'data.object.amount_refunded' });
    const unknownState = { id: 'sub_1', status: 'hibernating', items: { data: [] } };
    assert.deepEqual(broken('customer.subscription.updated', unknownState), { unknownShape: 'data.object.status' });
  });

  it('says nothing for a subscription that was never paid', () => {
    for (const status of ['incomplete', 'incomplete_expired'])
      assert.equal(because('customer.subscription.updated', { id: 'sub_1', status, items: { data: [] } }), 'not_paid');
  });
});

describe('catching up at Stripe', () => {
  const list = stripe.lookUps!.catchUp[0]!;

  it('reads events page by page into those that were missed', () => {
    assert.equal(list.first(at * 1000), `/v1/events?limit=100&created[gte]=${at}`);
    const page = { data: [{ ...event({ id: 'cs_1' }), type: 'checkout.session.completed' }], has_more: true };
    const read = list.read(page, at * 1000);
    assert.equal(read?.next, `/v1/events?limit=100&created[gte]=${at}&starting_after=evt_1`);
    assert.deepEqual(
      read?.events.map(({ sellerEventId, type }) => [sellerEventId, type]),
      [['evt_1', 'checkout.session.completed']],
    );
    assert.equal(list.read({ data: [], has_more: false }, at * 1000)?.next, null);
    assert.equal(list.read({ error: 'no' }, at * 1000), null);
  });
});

describe('the signature of Stripe', () => {
  it('of another scheme is none', () => {
    const headers = { 'stripe-signature': ['t=1,v0=00'] };
    const rejection = stripe.verify({ body: Buffer.from('{}'), headers }, ['whsec_1'], 1000);
    assert.equal(rejection, 'signature_malformed');
  });
});
