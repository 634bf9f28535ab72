import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { purchaseIdOf, unitNumber } from '../../../src/commerce/connectors/purchase-id.ts';
import { decideLine, endOf, scaledLimit } from '../../../src/commerce/connectors/sale-policy.ts';
import { isOfMode } from '../../../src/commerce/connectors/settings.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mappedProduct, NOW, policyWith, soldLine } from './policies.ts';

const decide = (line: Parameters<typeof soldLine>[0], mapped: Parameters<typeof mappedProduct>[0] = {}) =>
  decideLine(soldLine(line), mappedProduct(mapped), policyWith());
const reasonOf = (decision: ReturnType<typeof decideLine>) =>
  decision.outcome === 'attention' ? decision.reason : decision.outcome;

describe('a line of a sale', () => {
  it('gives a license a unit, or one for all units', () => {
    const [licenses, scale] = [decide({ quantity: 3 }), decide({ quantity: 3 }, { quantity: 'scale' })];
    assert.ok(licenses.outcome === 'issue' && scale.outcome === 'issue');
    assert.deepEqual([licenses.units, licenses.factor], [3, 1]);
    assert.deepEqual([scale.units, scale.factor], [1, 3]);
  });

  it('of no units, of too many, of an unknown product or for less than the minimum is a person’s decision', () => {
    for (const quantity of [0, -1, 1001, 10_000_000]) assert.equal(reasonOf(decide({ quantity })), 'bad_quantity');
    assert.equal(reasonOf(decide({ quantity: 1000 })), 'issue');
    assert.equal(reasonOf(decideLine(soldLine(), undefined, policyWith())), 'unmapped_product');
    const minimumAmount = 2000;
    assert.equal(reasonOf(decide({ quantity: 3, amount: 5999 }, { minimumAmount })), 'below_minimum');
    assert.equal(reasonOf(decide({ quantity: 3, amount: 6000 }, { minimumAmount })), 'issue');
    assert.equal(reasonOf(decide({ amount: null }, { minimumAmount })), 'below_minimum');
  });

  it('is ignored where a mapping says so, and only then', () => {
    assert.equal(decideLine(soldLine({ quantity: 0 }), 'ignore', policyWith()).outcome, 'ignored');
  });

  it('that is told twice counts once: by the kind of its mapping', () => {
    for (const [countsFor, kind, outcome] of [
      ['once', null, 'issue'],
      ['once', 'once', 'issue'],
      ['once', 'subscription', 'told_again'],
      ['subscription', 'subscription', 'issue'],
      ['subscription', null, 'told_again'],
      [null, 'subscription', 'issue'],
    ] as const)
      assert.equal(decide({ countsFor }, { kind }).outcome, outcome, `${countsFor} ${kind}`);
  });
});

describe('the end of a sold license', () => {
  const period = { end: NOW + 30 * DAY_MS, isTrial: false };

  it('is that of the paid period, with the grace of the connector or the longer one of the variant', () => {
    assert.deepEqual(endOf(period, policyWith()), { expiresAt: period.end, graceDays: 3 });
    assert.deepEqual(endOf(period, policyWith({ variantGraceDays: 10 })), { expiresAt: period.end, graceDays: 10 });
    assert.deepEqual(endOf({ ...period, isTrial: true }, policyWith()), { expiresAt: period.end, graceDays: 1 });
    assert.equal(endOf(null, policyWith()), null);
  });

  it('is at most 14 days away in test mode, without grace', () => {
    const latest = NOW + 14 * DAY_MS;
    for (const told of [null, period])
      assert.deepEqual(endOf(told, policyWith({ mode: 'test' })), { expiresAt: latest, graceDays: 0 });
    const short = { end: NOW + DAY_MS, isTrial: false };
    assert.equal(endOf(short, policyWith({ mode: 'test' }))?.expiresAt, short.end);
  });
});

describe('a limit for several units', () => {
  it('is a multiple, and none stays none', () => {
    assert.equal(scaledLimit(3, 5), 15);
    assert.equal(scaledLimit(-1, 5), -1);
  });
});

describe('the purchaseId of a unit', () => {
  const order = { prefix: 'shop', mode: 'live', order: 'cs_1' } as const;

  it('names the order, and numbers all units but the first', () => {
    assert.equal(purchaseIdOf(order, 1), 'shop:cs_1');
    assert.equal(purchaseIdOf(order, 2), 'shop:cs_1#2');
    assert.equal(purchaseIdOf({ ...order, mode: 'test' }, 3), 'test:shop:cs_1#3');
  });

  it('has at most 255 characters, and differs for orders that differ', () => {
    const [one, other] = ['1', '2'].map((end) => purchaseIdOf({ ...order, order: 'x'.repeat(254) + end }, 2));
    assert.ok(one!.length <= 255 && one !== other && one!.endsWith('#2'));
  });

  it('counts on over the lines of an order, whatever becomes of a line', () => {
    const sold = { lines: [soldLine({ quantity: 2 }), soldLine({ quantity: 0 }), soldLine({ quantity: 5_000 })] };
    const numbers = [unitNumber(sold, 0, 1), unitNumber(sold, 0, 2), unitNumber(sold, 1, 1), unitNumber(sold, 2, 1)];
    assert.deepEqual(numbers, [1, 2, 3, 4]);
  });
});

describe('the mode of a connector', () => {
  it('takes events of its mode, and those whose seller does not say', () => {
    assert.deepEqual(
      [true, false, null].flatMap((isTest) => [isOfMode(isTest, 'live'), isOfMode(isTest, 'test')]),
      [false, true, true, false, true, true],
    );
  });
});
