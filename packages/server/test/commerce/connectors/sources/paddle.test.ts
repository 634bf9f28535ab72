import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paddle } from '../../../../src/commerce/connectors/sources/paddle.ts';
import { eventWith, factsOf, NOTHING_KNOWN, ofKind } from './told-facts.ts';

const event = (data: object) => ({ event_id: 'evt_1', occurred_at: '2027-01-04T09:30:00.000000Z', data });
const facts = (type: string, data: object) => factsOf(paddle, type, event(data));
const because = (type: string, data: object) => ofKind(facts(type, data), 'ignored')[0]?.because;

const adjustment = {
  id: 'adj_1',
  action: 'refund',
  status: 'approved',
  transaction_id: 'txn_1',
  items: [{ item_id: 'txnitm_1', type: 'full' }],
  totals: { total: '4900', currency_code: 'EUR' },
};

describe('an adjustment of Paddle', () => {
  it('is a refund once it is approved', () => {
    assert.equal(because('adjustment.created', { ...adjustment, status: 'pending_approval' }), 'refund_pending');
    assert.equal(because('adjustment.updated', { ...adjustment, status: 'rejected' }), 'refund_refused');
    const [refunded] = ofKind(facts('adjustment.updated', adjustment), 'refunded');
    assert.deepEqual(refunded?.lines, [{ line: 'txnitm_1', quantity: null }]);
    assert.equal(refunded.amount, 4900);
  });

  it('that was taken back undoes the refund', () => {
    const [undone] = ofKind(facts('adjustment.updated', { ...adjustment, status: 'reversed' }), 'refundUndone');
    assert.equal(undone?.refund, 'adj_1');
  });

  it('of a part of an item names no line', () => {
    const part = { ...adjustment, items: [{ item_id: 'txnitm_1', type: 'partial' }], type: 'partial' };
    const [refunded] = ofKind(facts('adjustment.updated', part), 'refunded');
    assert.deepEqual([refunded?.lines, refunded?.isFull], [null, false]);
  });

  it('is a dispute, its end, an inquiry, or a credit that changes nothing', () => {
    const phaseOf = (action: string) =>
      ofKind(facts('adjustment.created', { ...adjustment, action }), 'disputed')[0]?.phase;
    assert.deepEqual(['chargeback', 'chargeback_reverse', 'chargeback_warning', 'credit'].map(phaseOf), [
      'opened',
      'won',
      'inquiry',
      undefined,
    ]);
    const unknown = paddle.facts(
      eventWith('adjustment.created', event({ ...adjustment, action: 'gift' })),
      NOTHING_KNOWN,
    );
    assert.deepEqual(unknown, { unknownShape: 'data.action' });
  });
});

describe('a transaction of Paddle', () => {
  const transaction = {
    id: 'txn_1',
    origin: 'web',
    customer_id: 'ctm_1',
    subscription_id: null,
    currency_code: 'EUR',
    billing_period: null,
    custom_data: { email: 'other@example.com' },
    items: [{ price: { id: 'pri_1', product_id: 'pro_1', billing_cycle: null } }],
    details: {
      totals: { grand_total: '0' },
      line_items: [
        { id: 'txnitm_1', price_id: 'pri_1', quantity: 1, totals: { total: '0' }, product: { id: 'pro_1' } },
      ],
    },
  };

  it('has no address: its customer has, and what the buyer can set is not read', () => {
    const translated = paddle.facts(eventWith('transaction.completed', event(transaction)), NOTHING_KNOWN);
    assert.ok('needs' in translated);
    assert.deepEqual(translated.needs, [{ what: 'customer', id: 'ctm_1' }]);
    assert.equal(ofKind(translated.facts, 'sold')[0]?.email, null);
    const known = {
      ...NOTHING_KNOWN,
      lookedUp: () => ({ data: { id: 'ctm_1', email: 'zoe@example.com', locale: 'fr' } }),
    };
    const [sold] = ofKind(factsOf(paddle, 'transaction.completed', event(transaction), known), 'sold');
    assert.deepEqual([sold?.email, sold?.language], ['zoe@example.com', 'fr']);
  });

  it('is no sale before it is completed, and none for another card', () => {
    assert.equal(because('transaction.paid', transaction), 'told_elsewhere');
    for (const type of ['transaction.created', 'transaction.payment_failed', 'transaction.past_due'])
      assert.equal(because(type, transaction), 'not_paid');
    const card = { ...transaction, origin: 'subscription_payment_method_change', subscription_id: 'sub_1' };
    assert.equal(because('transaction.completed', card), 'no_change');
  });

  it('of a thing that a subscriber buys once is a sale', () => {
    const charge = { ...transaction, origin: 'subscription_charge', subscription_id: 'sub_1' };
    const [sold] = ofKind(facts('transaction.completed', charge), 'sold');
    assert.equal(sold?.lines[0]?.isRecurring, false);
  });
});

describe('an event of Paddle', () => {
  it('is a test where the simulator made it, and says nothing else of that', () => {
    const isTest = (event_id: string) => {
      const body = Buffer.from(JSON.stringify({ ...event({ id: 'x' }), event_id, event_type: 'customer.created' }));
      return paddle.events({ body, headers: {} })[0]?.isTest;
    };
    assert.equal(isTest('ntfsimevt_01'), true);
    assert.equal(isTest('evt_01'), null);
  });
});
