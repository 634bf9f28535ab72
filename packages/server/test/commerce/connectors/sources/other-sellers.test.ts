import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { licenseRequest } from '../../../../scripts/shops/sellers/fastspring.ts';
import { fastSpring, licenseRequestRejection } from '../../../../src/commerce/connectors/sources/fastspring.ts';
import { polar } from '../../../../src/commerce/connectors/sources/polar.ts';
import { shopify } from '../../../../src/commerce/connectors/sources/shopify.ts';
import { isTrialForm, wooCommerce } from '../../../../src/commerce/connectors/sources/woocommerce.ts';
import { eventWith, factsOf, NOTHING_KNOWN, ofKind } from './told-facts.ts';

const AT = '2027-01-04T09:30:00Z';
const MS = Date.parse(AT);

describe('a refund of Polar', () => {
  const refund = {
    id: 'r1',
    status: 'succeeded',
    amount: 100,
    tax_amount: 19,
    currency: 'usd',
    order_id: 'o1',
    created_at: AT,
  };
  const told = (more: object) =>
    factsOf(polar, 'refund.created', { type: 'refund.created', data: { ...refund, ...more } });

  it('is told by its order, unless it takes the goods back', () => {
    assert.equal(ofKind(told({}), 'ignored')[0]?.because, 'told_elsewhere');
    const [refunded] = ofKind(told({ revoke_benefits: true }), 'refunded');
    assert.deepEqual([refunded?.takesBack, refunded?.amount], [true, 119]);
    assert.equal(ofKind(told({ status: 'pending' }), 'ignored')[0]?.because, 'refund_pending');
    assert.equal(ofKind(told({ status: 'failed' }), 'ignored')[0]?.because, 'refund_refused');
  });

  it('tells a dispute in each of its states', () => {
    const phaseOf = (status: string) => ofKind(told({ dispute: { id: 'd1', status } }), 'disputed')[0]?.phase;
    assert.deepEqual(['early_warning', 'needs_response', 'under_review', 'won', 'lost', 'prevented'].map(phaseOf), [
      'inquiry',
      'opened',
      'opened',
      'won',
      'lost',
      'opened',
    ]);
  });
});

describe('a delivery of FastSpring', () => {
  const order = (items: readonly object[]) => ({ id: 'o1', currency: 'EUR', total: 10, items });

  it('holds several events, each with its id and its mode', () => {
    const event = (id: string, live: boolean) => ({ id, type: 'order.failed', created: MS, live, data: { id: 'o1' } });
    const body = Buffer.from(JSON.stringify({ events: [event('e1', true), event('e2', false)] }));
    const events = fastSpring.events({ body, headers: {} });
    assert.deepEqual(
      events.map(({ sellerEventId, isTest }) => [sellerEventId, isTest]),
      [
        ['e1', false],
        ['e2', true],
      ],
    );
  });

  it('without webhook expansion is a person’s to read, with the reason', () => {
    const item = { product: 'p', quantity: 1, subtotal: 1, subscription: 's1' };
    const translated = fastSpring.facts(
      eventWith('order.completed', { created: MS, data: order([item]) }),
      NOTHING_KNOWN,
    );
    assert.ok('unknownShape' in translated);
    assert.match(translated.unknownShape, /webhook expansion is off/);
  });

  it('names two lines of one product apart', () => {
    const item = { product: 'p', quantity: 1, subtotal: 1 };
    const [sold] = ofKind(factsOf(fastSpring, 'order.completed', { created: MS, data: order([item, item]) }), 'sold');
    assert.deepEqual(
      sold?.lines.map(({ line }) => line),
      ['p', 'p#2'],
    );
  });
});

describe('a license request of FastSpring', () => {
  const fields = {
    name: 'Zoë Buyer',
    email: 'zoe@example.com',
    quantity: '2',
    reference: 'VEN1',
    internalProductName: 'studio',
  };

  it('is signed by the values of its fields and the private key', () => {
    const form = licenseRequest(fields, 'private');
    assert.equal(licenseRequestRejection(form, ['other', 'private']), null);
    assert.equal(licenseRequestRejection(form, ['other']), 'signature_wrong');
    assert.equal(licenseRequestRejection(form, ['']), 'no_secret');
  });

  it('is refused when a value differs, or the hash is absent, twice or of another form', () => {
    const changed = (change: (form: URLSearchParams) => void) => {
      const form = licenseRequest(fields, 'private');
      change(form);
      return licenseRequestRejection(form, ['private']);
    };
    assert.equal(
      changed((form) => form.set('quantity', '3')),
      'signature_wrong',
    );
    assert.equal(
      changed((form) => form.append('more', 'x')),
      'signature_wrong',
    );
    assert.equal(
      changed((form) => form.delete('security_request_hash')),
      'signature_missing',
    );
    assert.equal(
      changed((form) => form.append('security_request_hash', 'x')),
      'signature_repeated',
    );
    assert.equal(
      changed((form) => form.set('security_request_hash', 'x')),
      'signature_malformed',
    );
  });
});

describe('a delivery of WooCommerce', () => {
  const signed = (body: object, topic = 'order.updated') => ({
    body: Buffer.from(JSON.stringify(body)),
    headers: { 'x-wc-webhook-topic': [topic] },
  });

  it('that tries the address while the webhook is saved is told apart', () => {
    const form = { 'content-type': ['application/x-www-form-urlencoded; charset=UTF-8'] };
    assert.equal(isTrialForm({ body: Buffer.from('webhook_id=7'), headers: form }), true);
    assert.equal(isTrialForm({ body: Buffer.from('webhook_id=7&x=1'), headers: form }), false);
    assert.equal(isTrialForm({ body: Buffer.from('webhook_id=7'), headers: {} }), false);
  });

  it('that is the refusal of its own API is a person’s to read', () => {
    const refusal = { code: 'woocommerce_rest_cannot_view', message: 'Sorry', data: { status: 401 } };
    const [event] = wooCommerce.events(signed(refusal));
    assert.ok(event && 'unknownShape' in wooCommerce.facts(event, NOTHING_KNOWN));
  });

  it('has an id of its topic and body, because ids of deliveries repeat', () => {
    const ids = [signed({ id: 1 }), signed({ id: 1 }), signed({ id: 1 }, 'order.created'), signed({ id: 2 })].map(
      (each) => wooCommerce.events(each)[0]?.sellerEventId,
    );
    assert.equal(ids[0], ids[1]);
    assert.equal(new Set(ids).size, 3);
  });

  it('sells only a completed order, in the units of its currency', () => {
    const order = {
      id: 5,
      currency: 'JPY',
      total: '500',
      date_created_gmt: '2027-01-04T09:30:00',
      billing: { email: 'zoe@example.com' },
      line_items: [{ id: 1, product_id: 2, variation_id: 3, sku: 'S', quantity: 1, total: '500' }],
    };
    for (const status of ['pending', 'on-hold', 'processing', 'failed', 'cancelled'])
      assert.equal(
        ofKind(factsOf(wooCommerce, 'order.updated', { ...order, status }), 'ignored')[0]?.because,
        'not_paid',
      );
    const [sold] = ofKind(factsOf(wooCommerce, 'order.updated', { ...order, status: 'completed' }), 'sold');
    assert.deepEqual(sold?.total, { amount: 500, currency: 'JPY' });
    assert.deepEqual(
      sold.lines[0]?.names.map(({ by, id }) => `${by} ${id}`),
      ['variant 3', 'sku S', 'product 2'],
    );
  });
});

describe('a delivery of Shopify', () => {
  it('signed under both names at once is refused', () => {
    const headers = { 'shopify-hmac-sha256': ['a'], 'x-shopify-hmac-sha256': ['a'] };
    assert.equal(shopify.verify({ body: Buffer.from(''), headers }, ['s'], 0), 'signature_repeated');
  });

  it('about a refund counts only money that is back', () => {
    const refund = (status: string) => ({
      id: 1,
      order_id: 2,
      created_at: '2027-01-04T09:30:00-05:00',
      refund_line_items: [],
      transactions: [{ amount: '49.00', currency: 'USD', kind: 'refund', status }],
    });
    const told = (status: string) => factsOf(shopify, 'refunds/create', refund(status));
    assert.equal(ofKind(told('pending'), 'ignored')[0]?.because, 'refund_pending');
    assert.equal(ofKind(told('failure'), 'ignored')[0]?.because, 'refund_refused');
    const [refunded] = ofKind(told('success'), 'refunded');
    assert.deepEqual([refunded?.amount, refunded?.lines], [4900, null]);
  });

  it('about an inquiry is no dispute', () => {
    const dispute = { id: 1, order_id: 2, type: 'inquiry', status: 'needs_response', initiated_at: AT };
    assert.equal(ofKind(factsOf(shopify, 'disputes/create', dispute), 'disputed')[0]?.phase, 'inquiry');
  });
});
