import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../../scripts/shops/sellers/lemonsqueezy.ts';
import { lemonSqueezy } from '../../../../src/commerce/connectors/sources/lemonsqueezy.ts';
import { factsOf, factsTold, NOTHING_KNOWN, ofKind } from './told-facts.ts';

const AT = '2027-01-04T09:30:00.000000Z';
const event = (type: string, attributes: object) => ({
  meta: { event_name: 'x' },
  data: { type, id: '7', attributes },
});

describe('a subscription with a key at Lemon Squeezy', () => {
  it('is told in four events, and sold in one of them for each kind of mapping', () => {
    const seller = lemonSqueezySeller({ number: 1, email: 'zoe@example.com' });
    const now = Date.UTC(2027, 0, 4);
    const facts = factsTold(seller, seller.steps.subscribe!(now), now);
    const sold = ofKind(facts, 'sold');
    assert.equal(new Set(sold.map(({ order }) => order)).size, 1);
    assert.deepEqual(
      sold.flatMap(({ lines }) => lines.map(({ countsFor }) => countsFor)),
      ['once', 'subscription'],
    );
    assert.equal(new Set(sold.flatMap(({ lines }) => lines.map(({ line }) => line))).size, 1);
    const [key] = ofKind(facts, 'theirKey');
    assert.deepEqual(key?.of, [{ kind: 'order', id: sold[0]?.order }]);
    assert.equal(key?.limit, 5);
  });
});

describe('a state of a subscription at Lemon Squeezy', () => {
  const subscription = { variant_id: 1, updated_at: AT, renews_at: '2027-02-04T09:30:00.000000Z' };
  const stateOf = (more: object) =>
    factsOf(lemonSqueezy, 'subscription_updated', event('subscriptions', { ...subscription, ...more }));

  it('pays its period only while it is active', () => {
    assert.equal(ofKind(stateOf({ status: 'active' }), 'paid')[0]?.periodEnd, Date.UTC(2027, 1, 4, 9, 30));
    for (const status of ['past_due', 'unpaid', 'paused', 'cancelled', 'expired', 'on_trial'])
      assert.deepEqual(ofKind(stateOf({ status }), 'paid'), [], status);
  });

  it('is paused unless the vendor pauses the payments alone', () => {
    const states = ['void', 'free'].map((mode) =>
      ofKind(stateOf({ status: 'paused', pause: { mode } }), 'subscription'),
    );
    assert.deepEqual(
      states.map(([fact]) => fact?.state),
      ['paused', 'active'],
    );
  });

  it('that is cancelled goes on until its end', () => {
    assert.equal(ofKind(stateOf({ status: 'cancelled' }), 'subscription')[0]?.state, 'active');
    const [ended] = ofKind(stateOf({ status: 'expired', ends_at: AT }), 'subscription');
    assert.deepEqual([ended?.state, ended?.until], ['ended', Date.parse('2027-01-04T09:30:00Z')]);
  });
});

describe('an order of Lemon Squeezy', () => {
  it('that failed is no sale, and one that is fraudulent is disputed', () => {
    const order = { updated_at: AT, created_at: AT, total: 1, currency: 'USD' };
    const told = (status: string) => factsOf(lemonSqueezy, 'order_refunded', event('orders', { ...order, status }));
    assert.equal(ofKind(told('failed'), 'ignored')[0]?.because, 'not_paid');
    assert.equal(ofKind(told('fraudulent'), 'disputed')[0]?.phase, 'opened');
    assert.equal(ofKind(told('refunded'), 'refunded')[0]?.refundedInAll, 1);
  });
});

describe('a key of Lemon Squeezy', () => {
  it('without a limit is unlimited, and may be disabled', () => {
    const key = {
      key: '80e15db5-c796',
      order_id: 3,
      activation_limit: null,
      disabled: 1,
      expires_at: null,
      updated_at: AT,
    };
    const [told] = ofKind(factsOf(lemonSqueezy, 'license_key_updated', event('license-keys', key)), 'theirKey');
    assert.deepEqual([told?.limit, told?.isDisabled, told?.expiresAt], [-1, true, null]);
  });
});

describe('catching up at Lemon Squeezy', () => {
  const since = Date.UTC(2027, 0, 4);
  const page = (entries: readonly object[], currentPage = 1, lastPage = 3) => ({
    data: entries,
    meta: { page: { currentPage, lastPage } },
  });

  it('finds sales that nobody told, and refunds of older ones', () => {
    const seller = lemonSqueezySeller({ number: 1, email: 'zoe@example.com' });
    const [told] = seller.steps.buy!(since + 1000);
    const { data } = JSON.parse(told!.body) as { data: { attributes: object } };
    const old = {
      ...data,
      attributes: { ...data.attributes, created_at: '2026-01-01T00:00:00.000000Z', status: 'refunded' },
    };
    const read = lemonSqueezy.lookUps!.catchUp[0]!.read(page([data, old]), since);
    assert.deepEqual(
      read?.events.map(({ type }) => type),
      ['order_created', 'order_refunded'],
    );
    assert.equal(read?.next, '/v1/orders?page[size]=100&page[number]=2');
    const facts = read.events.flatMap((event) => {
      const translated = lemonSqueezy.facts(event, NOTHING_KNOWN);
      return 'facts' in translated ? translated.facts : [];
    });
    assert.deepEqual(
      facts.map(({ fact }) => fact),
      ['sold', 'refunded'],
    );
  });

  it('leaves out what did not change since, and ends with the last page', () => {
    const entry = { type: 'orders', id: '1', attributes: { updated_at: '2026-01-01T00:00:00.000000Z' } };
    const read = lemonSqueezy.lookUps!.catchUp[0]!.read(page([entry], 3, 3), since);
    assert.deepEqual(read, { events: [], next: null });
    assert.equal(lemonSqueezy.lookUps!.catchUp[0]!.read(page([], 20, 90), since)?.next, null);
  });
});
