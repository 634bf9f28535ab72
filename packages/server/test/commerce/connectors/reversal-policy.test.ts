import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideDispute, decideRefund, type SoldUnit } from '../../../src/commerce/connectors/reversal-policy.ts';
import type { Refunded } from '../../../src/commerce/connectors/sources/facts.ts';

const units: readonly SoldUnit[] = [1, 2, 3, 4].map((unit) => ({
  licenseKey: `K${unit}`,
  line: unit < 4 ? 'l1' : 'l2',
  unit: unit < 4 ? unit : 1,
  factor: 1,
  isActivated: unit === 3,
}));
const sale = { total: 9800, currency: 'EUR', refunded: 0, isLaterPayment: false, units };
const refund = (changes: Partial<Refunded>): Refunded => ({
  fact: 'refunded',
  refund: 'r1',
  of: [],
  amount: null,
  refundedInAll: null,
  currency: 'EUR',
  isFull: false,
  takesBack: false,
  lines: null,
  payment: null,
  at: 0,
  ...changes,
});
const decide = (
  changes: Partial<Refunded>,
  known: Partial<typeof sale> = {},
  partialRefund: 'keep' | 'revoke' = 'keep',
) => decideRefund(refund(changes), { ...sale, ...known }, { partialRefund });
const ALL = ['K1', 'K2', 'K3', 'K4'];

describe('a refund', () => {
  it('of everything revokes all licenses, whichever way the seller says so', () => {
    assert.deepEqual(decide({ isFull: true }).revoke, ALL);
    assert.deepEqual(decide({ takesBack: true, amount: 1 }).revoke, ALL);
    assert.deepEqual(decide({ refundedInAll: 9800 }).revoke, ALL);
    assert.deepEqual(decide({ amount: 4900 }, { refunded: 4900 }).revoke, ALL);
  });

  it('in another currency is never all of it', () => {
    assert.deepEqual(decide({ amount: 9800, currency: 'USD' }).revoke, []);
  });

  it('of a part of the money is noted, or revokes where the vendor wants it', () => {
    const kept = decide({ amount: 4900 });
    assert.deepEqual([kept.revoke, kept.notes, kept.refunded], [[], true, 4900]);
    assert.deepEqual(decide({ amount: 4900 }, {}, 'revoke').revoke, ALL);
  });

  it('of a whole line revokes that line', () => {
    assert.deepEqual(decide({ lines: [{ line: 'l2', quantity: 1 }] }).revoke, ['K4']);
    assert.deepEqual(decide({ lines: [{ line: 'l1', quantity: null }] }).revoke, ['K1', 'K2', 'K3']);
  });

  it('of some units revokes those that were never activated, the newest first', () => {
    assert.deepEqual(decide({ lines: [{ line: 'l1', quantity: 1 }] }).revoke, ['K2']);
    const both = decide({ lines: [{ line: 'l1', quantity: 2 }] });
    assert.deepEqual([both.revoke, both.attention], [['K2', 'K1'], null]);
  });

  it('that finds too few such units, or no such line, asks a person about the rest', () => {
    const used = units.map((unit) => ({ ...unit, isActivated: unit.unit > 1 }));
    const decision = decide({ lines: [{ line: 'l1', quantity: 2 }] }, { units: used });
    assert.deepEqual([decision.revoke, decision.attention], [['K1'], 'refund_unplaced']);
    assert.equal(decide({ lines: [{ line: 'gone', quantity: 1 }] }).attention, 'refund_unplaced');
  });

  it('of some units that one license stands for lowers its limits', () => {
    const one = [{ licenseKey: 'K1', line: 'l1', unit: 1, factor: 5, isActivated: true }];
    const part = decide({ lines: [{ line: 'l1', quantity: 2 }] }, { units: one });
    assert.deepEqual(part.rescale, [{ licenseKey: 'K1', factor: 3 }]);
    assert.deepEqual(part.revoke, []);
    assert.deepEqual(decide({ lines: [{ line: 'l1', quantity: 5 }] }, { units: one }).revoke, ['K1']);
  });

  it('of a later payment of a subscription is noted: its state decides', () => {
    for (const decision of [
      decide({ isFull: true, payment: 'later' }),
      decide({ isFull: true }, { isLaterPayment: true }),
    ])
      assert.deepEqual([decision.revoke, decision.notes], [[], true]);
    assert.deepEqual(decide({ isFull: true, payment: 'first' }).revoke, ALL);
  });

  it('that is told late does not lower the sum', () => {
    assert.equal(decide({ refundedInAll: 100 }, { refunded: 300 }).refunded, 300);
  });
});

describe('a dispute', () => {
  it('revokes when it is opened, and a person or the vendor’s standing order decides when it is won', () => {
    const [asks, orders] = [{ disputeWon: 'attention' }, { disputeWon: 'reinstate' }] as const;
    assert.equal(decideDispute({ phase: 'inquiry' }, false, asks), 'note');
    assert.equal(decideDispute({ phase: 'opened' }, false, asks), 'revoke');
    assert.equal(decideDispute({ phase: 'lost' }, false, asks), 'revoke');
    assert.equal(decideDispute({ phase: 'won' }, false, asks), 'attention');
    assert.equal(decideDispute({ phase: 'won' }, false, orders), 'reinstate');
  });

  it('ends alike when its end is told before its beginning', () => {
    assert.equal(decideDispute({ phase: 'opened' }, true, { disputeWon: 'attention' }), 'revoke');
    assert.equal(decideDispute({ phase: 'opened' }, true, { disputeWon: 'reinstate' }), 'note');
  });
});
