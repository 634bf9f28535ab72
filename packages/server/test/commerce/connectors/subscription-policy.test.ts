import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isNewer,
  rankOf,
  SUBSCRIPTION_STATES,
  type SubscriptionState,
} from '../../../src/commerce/connectors/sources/facts.ts';
import {
  decideEnd,
  decidePlan,
  limitAfterChange,
  owedEnd,
} from '../../../src/commerce/connectors/subscription-policy.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mappedProduct, NOW, policyWith } from './policies.ts';

const END = NOW + 30 * DAY_MS;
const paid = { end: END, isTrial: false };
const owed = (state: SubscriptionState, until: number | null = null, period = paid) =>
  owedEnd({ paid: period, newest: { state, until, asOf: NOW + DAY_MS } }, policyWith());

describe('the end that a subscription owes', () => {
  it('is that of the paid period, and a state changes its grace only', () => {
    assert.deepEqual(owed('active'), { expiresAt: END, graceDays: 3 });
    assert.deepEqual(owed('active', END + DAY_MS), { expiresAt: END, graceDays: 3 });
    assert.deepEqual(owed('pastDue'), { expiresAt: END, graceDays: 14 });
    assert.deepEqual(owedEnd({ paid, newest: null }, policyWith()), { expiresAt: END, graceDays: 3 });
  });

  it('is the moment that the seller says once it is over, never later than paid', () => {
    for (const state of ['paused', 'unpaid', 'ended'] as const) {
      assert.deepEqual(owed(state, NOW + 5 * DAY_MS), { expiresAt: NOW + 5 * DAY_MS, graceDays: 0 });
      assert.deepEqual(owed(state), { expiresAt: NOW + DAY_MS, graceDays: 0 });
      assert.deepEqual(owed(state, END + DAY_MS), { expiresAt: END, graceDays: 0 });
    }
  });

  it('is that of a trial, which the vendor may prolong', () => {
    const trial = { end: END, isTrial: true };
    assert.deepEqual(owed('trial', END + DAY_MS, trial), { expiresAt: END + DAY_MS, graceDays: 1 });
  });

  it('is unknown without a paid period', () => {
    for (const state of SUBSCRIPTION_STATES)
      assert.equal(owedEnd({ paid: null, newest: { state, until: NOW, asOf: NOW } }, policyWith()), null);
  });
});

describe('the end of a license with a subscription', () => {
  const end = { expiresAt: END, graceDays: 3 };

  it('moves to what is owed', () => {
    const present = { expiresAt: NOW, graceDays: 3, isOurs: true };
    assert.deepEqual(decideEnd(present, end), { outcome: 'set', end });
    assert.deepEqual(decideEnd({ ...end, isOurs: true }, { ...end, graceDays: 14 }).outcome, 'set');
    assert.equal(decideEnd({ ...end, isOurs: true }, end).outcome, 'same');
    assert.equal(decideEnd(present, null).outcome, 'same');
  });

  it('is shortened only where the connector gave it', () => {
    for (const expiresAt of [END + 1, null]) {
      assert.equal(decideEnd({ expiresAt, graceDays: 0, isOurs: true }, end).outcome, 'set');
      assert.equal(decideEnd({ expiresAt, graceDays: 0, isOurs: false }, end).outcome, 'kept');
    }
    assert.equal(decideEnd({ expiresAt: NOW, graceDays: 0, isOurs: false }, end).outcome, 'set');
  });
});

describe('another plan', () => {
  const known = { productId: 'studio', variant: 'basic', factor: 3 };
  const pro = mappedProduct({ variant: 'pro' });

  it('is another variant or quantity of the same key', () => {
    assert.deepEqual(decidePlan(known, 3, pro), { outcome: 'change', variant: 'pro', factor: 3 });
    assert.deepEqual(decidePlan({ ...known, variant: 'pro' }, 5, pro), {
      outcome: 'change',
      variant: 'pro',
      factor: 5,
    });
    assert.deepEqual(decidePlan({ ...known, variant: 'pro' }, 3, pro), { outcome: 'same' });
  });

  it('of another product, of none or of no quantity is a person’s decision', () => {
    const reasons = [
      decidePlan(known, 3, mappedProduct({ productId: 'other' })),
      decidePlan(known, 3, undefined),
      decidePlan(known, 0, pro),
    ].map((decision) => decision.outcome === 'attention' && decision.reason);
    assert.deepEqual(reasons, ['product_changed', 'unmapped_product', 'bad_quantity']);
    assert.equal(decidePlan(known, 3, 'ignore').outcome, 'ignored');
  });

  it('gives its limit to a license that had the old one', () => {
    assert.equal(limitAfterChange(9, 9, 15), 15);
    assert.equal(limitAfterChange(20, 9, 15), 20);
  });
});

describe('a told state', () => {
  it('counts if it is newer, and by its rank within a second', () => {
    const told = (asOf: number, state: SubscriptionState) => ({ asOf, rank: rankOf(state) });
    assert.equal(isNewer(told(1, 'trial'), null), true);
    assert.equal(isNewer(told(2, 'trial'), told(1, 'ended')), true);
    assert.equal(isNewer(told(1, 'ended'), told(2, 'trial')), false);
    assert.equal(isNewer(told(1, 'ended'), told(1, 'active')), true);
    assert.equal(isNewer(told(1, 'active'), told(1, 'ended')), false);
    assert.equal(isNewer(told(1, 'active'), told(1, 'active')), false);
  });
});
